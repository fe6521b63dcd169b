/**
 * The chapter of docs/runbooks.md that is about a kind, as the status page serves it; null where that has no address.
 * @example runbookLink('transfer.failed', 'https://watch.example/') // 'https://watch.example/runbooks/transfer.failed'
 */
export function runbookLink(kind: string, pageUrl: string | null): string | null {
  return pageUrl === null ? null : `${pageUrl.replace(/\/+$/, '')}/runbooks/${encodeURIComponent(kind)}`
}
