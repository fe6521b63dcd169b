import { html } from 'hono/html'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { AlertView, CaseStory, CaseView } from '../caseTypes.ts'
import { renderAlertLines } from './alertList.ts'
import { renderPaging } from './formParts.ts'
import { renderHashes } from './hashes.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderTime, shortenHashes, toCasePath } from './words.ts'

type Entry = CaseStory['timeline'][number]

/** Entries of one kind in a row; `at` and `text` are those of the newest. */
export interface TimelineLine extends Entry {
  readonly count: number
  /** When the oldest of them was. */
  readonly since: UnixMs
}

/** Fewer in a row stand one by one. */
const leastFolded = 3

/** Newest first, as they are given; findings that joined one after the other are one line. */
export function foldTimeline(entries: readonly Entry[]): TimelineLine[] {
  const runs: Entry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    if (run !== undefined && entry.by === null && entry.what === 'joined' && run[0]?.what === 'joined')
      run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap((run) => {
    const [newest] = run
    const alone = run.map((entry) => ({ ...entry, count: 1, since: entry.at }))
    if (run.length < leastFolded || newest === undefined) return alone
    return [{ ...newest, count: run.length, since: run.at(-1)?.at ?? newest.at }]
  })
}

const dots: Readonly<Record<string, string>> = {
  opened: 'critical',
  'opened again': 'critical',
  escalated: 'attention',
  closed: 'fine',
  handled: 'fine',
}

export function renderEntries(lines: readonly TimelineLine[]): Html {
  return html`<ol class="timeline">${lines.map(
    ({ at, what, by, text, count, since }) =>
      html`<li class="dot-${dots[what] ?? 'info'}"><p><strong>${capitalize(cleanText(what, 100))}${count > 1 ? html` by ${count} findings` : ''}</strong>${by === null ? '' : ` by ${cleanText(by, 100)}`}</p>${text === '' ? '' : html`<p class="detail">${count > 1 ? 'The newest: ' : ''}${renderHashes(text, 600)}</p>`}<p class="muted">${count > 1 ? html`${renderTime(since)} to ` : ''}${renderTime(at)}</p></li>`,
  )}</ol>`
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** So many on one page. */
export const listedOfCase = 50

export interface CaseListView<Item> {
  readonly story: Pick<CaseView, 'id' | 'title' | 'members'>
  /** One more than a page shows says that there is a next one. */
  readonly items: readonly Item[]
  readonly offset: number
  readonly now: UnixMs
}

/** All that a case gathers, the worst first, page by page. */
export function renderCaseFindingsPage(view: CaseListView<AlertView>): Html {
  const shown = view.items.slice(0, listedOfCase).map((finding) => ({ ...finding, case: null }))
  return renderCaseList(view, {
    name: 'findings',
    title: `What case ${view.story.id} gathers`,
    body: renderAlertLines(shown, view.now),
  })
}

/** All that was done about a case, the newest first, page by page. */
export function renderCaseTimelinePage(view: CaseListView<Entry>): Html {
  const shown = view.items.slice(0, listedOfCase).map((entry) => ({ ...entry, count: 1, since: entry.at }))
  return renderCaseList(view, {
    name: 'timeline',
    title: `Timeline of case ${view.story.id}`,
    body: renderEntries(shown),
  })
}

function renderCaseList(
  { story, items, offset }: CaseListView<unknown>,
  { name, title, body }: { readonly name: string; readonly title: string; readonly body: Html },
): Html {
  const path = toCasePath(story.id)
  const shown = Math.min(items.length, listedOfCase)
  const hasMore = items.length > listedOfCase
  return renderLayout({
    title,
    active: 'cases',
    live: false,
    main: html`<section class="card" aria-labelledby="all-title">
<h1 id="all-title">${title}</h1>
<p><a href="${path}">${shortenHashes(cleanText(story.title, 300))}</a> <span class="muted">${story.members} findings</span></p>
${shown === 0 ? html`<p class="empty">Nothing more is kept.</p>` : body}
${renderPaging({ path: `${path}/${name}`, params: {}, offset, shown, size: listedOfCase, hasMore })}
</section>`,
  })
}
