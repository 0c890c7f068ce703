/** How often a run is taken up, when nothing else is said of it: the service's default. */
export const maxAttempts = 2
