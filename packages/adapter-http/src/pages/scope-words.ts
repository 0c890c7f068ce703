/** What each scope lets a program do, as one would say it to the person who is asked. */
const toThePerson: Readonly<Record<string, string>> = {
  openid: "Recognize you when you connect again",
  profile: "See your name",
  email: "See your e-mail address",
  offline_access: "Stay connected for up to 90 days, also while you are away"
}

export const inWords = (scope: string): string => toThePerson[scope] ?? scope

/** The same of a program that is connected, to whoever looks at the list. */
const ofAnother: Readonly<Record<string, string>> = {
  openid: "recognize the person",
  profile: "see their name",
  email: "see their e-mail address",
  offline_access: "stay connected while they are away"
}

const list = new Intl.ListFormat("en", { type: "conjunction" })

/** All that a connection may do, in one sentence. */
export const scopeSentence = (scope: ReadonlyArray<string>): string =>
  `May ${list.format(["do all that the person may", ...scope.map((each) => ofAnother[each] ?? each)])}.`
