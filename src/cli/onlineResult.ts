/** One thing that was tried from here, now. */
export interface OnlineResult {
  readonly what: string
  readonly verdict: 'ok' | 'unsure' | 'failed'
  readonly says: string
  /** What to do about it; null when there is nothing to do. */
  readonly remedy: string | null
}

/** A line, and below it what to do. */
export function formatResult({ what, verdict, says, remedy }: OnlineResult): string {
  return `  ${verdict.padEnd(7)} ${what}: ${says}\n${remedy === null ? '' : `          ${remedy}\n`}`
}
