/** What came of a request: done, or why not, in words for the person who asked. */
export type CaseAnswer = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/**
 * What people may do with a case from within a channel. `by` is the person's name as the channel knows it, `from`
 * the person's id there: both come from outside, cleaned and cut. `caseId` is `c42`, or `c42-3` as it was shown when it
 * had opened three times: what opened again since is neither acknowledged nor handled.
 */
export interface CaseActions {
  ack(caseId: string, by: string, from: string): CaseAnswer
  handle(caseId: string, by: string, from: string, reason: string): CaseAnswer
  silenceTransfer(caseId: string, by: string, from: string): CaseAnswer
}
