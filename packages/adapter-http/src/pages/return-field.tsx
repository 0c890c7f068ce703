/** Where to go on after signing in, carried through the form. */
export const ReturnField = ({ path }: { readonly path: string | undefined }) =>
  path === undefined ? null : <input type="hidden" name="return" value={path} />
