import type { Message, MessageItem } from './message.ts'
import type { Details } from './messageParts.ts'
import { fieldsOf, fitText, part, verdictLine } from './textParts.ts'

/** How one service renders a message, and whether it takes what came out. */
interface Form<T> {
  readonly message: Message
  /** Every finding, with all that is known of it or its whole hashes alone. */
  full(details: Details): T
  /** These findings alone, each within so many characters; for none of them it has to fit whatever they say. */
  compact(items: readonly MessageItem[], room: number): T
  fits(rendered: T): boolean
}

const rooms = [1_500, 1_000, 700, 500, 350] as const
/** Less than this cannot hold two hashes and what they are about. */
const leastRoom = 280

/** The largest form that a service takes: all findings in full, else with less of the details, else shorter, and only then fewer. */
export function fitMessage<T>(form: Form<T>): T {
  for (const details of ['all', 'hashes'] as const) {
    const full = form.full(details)
    if (form.fits(full)) return full
  }
  const { items } = form.message
  for (const room of rooms) {
    const compact = form.compact(items, room)
    if (form.fits(compact)) return compact
  }
  for (let count = items.length; count > 0; count -= 1) {
    const fewer = form.compact(items.slice(0, count), leastRoom)
    if (form.fits(fewer)) return fewer
  }
  return form.compact([], 0)
}

/** One finding within so many characters: the subject, with its hashes, has the first claim on them. */
export function compactLines(item: MessageItem, room: number): string[] {
  const subject = fitText(part(item.subject), Math.floor(room * 0.6))
  const verdict = fitText(verdictLine(item), Math.max(room - subject.length, Math.floor(room * 0.3)))
  const left = room - subject.length - verdict.length
  const more = left < 40 ? '' : fitText(untoldFacts(item), left)
  return [verdict, subject, more].filter((line) => line !== '')
}

/** What verdict and subject do not say already. */
function untoldFacts(item: MessageItem): string {
  return fieldsOf(item)
    .filter(({ value }) => value !== '' && !item.summary.includes(value) && !item.subject.includes(value))
    .map(({ label, value }) => `${part(label, 60)} ${part(value, 300)}`)
    .join(' · ')
}
