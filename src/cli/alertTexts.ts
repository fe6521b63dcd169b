import { formatDuration } from '../lib/duration.ts'
import { cleanText } from '../lib/text.ts'
import type { AlertStory, AlertView } from '../web/caseTypes.ts'
import type { Column } from './formatTable.ts'
import { styleOf } from './screen.ts'
import { section } from './section.ts'

export const listColumns = (now: number): readonly Column<AlertView>[] => [
  { name: 'ID', read: ({ id }) => id },
  { name: 'SEVERITY', read: ({ severity }) => severity, style: ({ severity }) => styleOf(severity) },
  { name: 'STATE', read: nameState, style: (view) => styleOf(nameState(view)) },
  { name: 'HAPPENED', read: ({ since }) => `${formatDuration(Math.max(0, now - since))} ago` },
  { name: 'CASE', read: (view) => view.case?.id ?? '' },
  { name: 'WHAT', read: ({ summary }) => summary, least: 20 },
  { name: 'RULE', read: ({ rule }) => rule, least: 10 },
  { name: 'TOLD', read: (view) => sayTold(view) || sayUntold(view, ''), least: 6 },
]

function nameState({ endedBadly, state }: AlertView): string {
  return endedBadly ? 'ended' : state
}

/** Each channel once, whatever number of messages it got. */
function sayTold({ told }: AlertView): string {
  return [...Map.groupBy(told, ({ channel }) => channel)]
    .map(([channel, items]) => `${channel}${sayQueued(items)}`)
    .join(', ')
}

function saySent({ toldAt, untold }: AlertView, ago: (at: number) => string): string {
  if (toldAt !== null) return `sent ${ago(toldAt)}`
  return untold === null ? 'not sent yet' : 'not sent'
}

/** @param before what is said while nothing was decided */
function sayUntold({ untold }: AlertView, before: string): string {
  return untold === null ? before : `nobody: ${cleanText(untold, 300)}`
}

function sayQueued(items: AlertView['told']): string {
  if (items.every(({ at }) => at !== null)) return ''
  return items.some(({ at }) => at !== null) ? ' (more is queued)' : ' (queued)'
}

/** Where nobody looks at a screen: a paragraph each. */
export function formatList(views: readonly AlertView[], now: number): string {
  if (views.length === 0) return 'No alerts.\n'
  return views
    .map((view) => {
      const ago = (at: number) => `${formatDuration(Math.max(0, now - at))} ago`
      return `${view.id}  ${view.severity.padEnd(8)} ${nameState(view).padEnd(10)} ${view.rule}  happened ${ago(view.since)}, ${saySent(view, ago)}\n          ${view.summary}\n          ${view.title}\n          told: ${sayTold(view) || sayUntold(view, 'nobody yet')}${view.ack ? `; acknowledged by ${view.ack.by}` : ''}${sayCase(view)}\n`
    })
    .join('')
}

function sayCase(view: AlertView): string {
  return view.case === null ? '' : `; case ${view.case.id}, ${view.case.state}`
}

/** All that is known of one. */
export function formatStory(story: AlertStory, now: number): string {
  const time = (at: number) => new Date(at).toISOString()
  const clean = (text: string) => cleanText(text, 600)
  const labels = Object.entries(story.labels).map(([name, value]) => `${name}=${clean(value)}`)
  return [
    `#${story.id}  ${story.severity}  ${story.endedBadly ? 'ended' : story.state}  ${story.rule} (${story.kind})\n`,
    `  ${clean(story.summary)}\n  ${clean(story.title)}\n`,
    `  happened   ${time(story.since)}, ${formatDuration(Math.max(0, now - story.since))} ago; episode ${story.episode}\n`,
    `  sent       ${story.toldAt === null ? `to ${sayUntold(story, 'nobody yet')}` : time(story.toldAt)}\n`,
    story.case === null ? '' : `  case       ${story.case.id}, ${story.case.state}\n`,
    `  labels     ${labels.join(' ')}\n`,
    story.ack ? `  ack        by ${clean(story.ack.by)} at ${time(story.ack.at)}\n` : '',
    story.heldFor.length === 0 ? '' : `  silenced   to be listed to ${story.heldFor.join(', ')}\n`,
    ...section(
      'evidence',
      story.evidence.map(({ source, at, says }) => `${time(at)}  ${source}: ${clean(says)}`),
    ),
    ...section(
      'messages',
      story.messages.map(
        ({ item, channel, what, state, message, queuedAt, sentAt }) =>
          `${time(sentAt ?? queuedAt)}  ${what} to ${channel}: ${state}${message === null ? '' : ` (#${message})`}, outbox item ${item}`,
      ),
    ),
    ...section(
      'decisions',
      story.decisions.map(({ at, what, reason }) => `${time(at)}  ${what}: ${clean(reason)}`),
    ),
  ].join('')
}
