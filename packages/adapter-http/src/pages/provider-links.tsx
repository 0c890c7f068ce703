import type { IdentityProvider } from "@coppice/core"

interface ProviderLinksProps {
  readonly providers: ReadonlyArray<IdentityProvider>
  readonly back: string | undefined
}

/** The other ways to sign in, if there are any. */
export const ProviderLinks = ({ back, providers }: ProviderLinksProps) =>
  providers.length === 0 ? null : (
    <>
      <p class="or">or</p>
      {providers.map(({ id, name }) => (
        <p>
          <a class="button plain wide" href={`/login/${id}${back === undefined ? "" : `?return=${encodeURIComponent(back)}`}`}>
            Continue with {name}
          </a>
        </p>
      ))}
    </>
  )
