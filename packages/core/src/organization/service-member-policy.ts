/** Where the addresses of service members are: nowhere (RFC 2606 section 2). */
const domain = "@service.invalid"

export const serviceAddress = (clientId: string): string => `${clientId}${domain}`

/** Whether a member is a service client's, and no person. */
export const isServiceMember = ({ email }: { readonly email: string }): boolean => email.endsWith(domain)
