/** What to do while there is no project: they are added where their repositories are. */
export const AddProject = () => (
  <div class="card empty">
    <p>There is no project yet, and an automation works on one.</p>
    <p>Add a repository on the machine where Coppice runs:</p>
    <pre class="take" tabIndex={0}>npm run coppice -- projects add PATH</pre>
    <p>Then open this page again.</p>
  </div>
)
