import type { Steps } from '../../lib/steps.ts'
import type { Message, MessageCase, MessageItem } from './message.ts'
import { headlineOf, isoInstant } from './textParts.ts'

/** How a body is sent, and what could not be done about it. */
interface BodyForm {
  /** After a refused message: without its items. */
  readonly degraded: boolean
  /** Why the body that is configured could not be made; null where it could, or none is. */
  readonly bodyError: string | null
}

/**
 * The documented body: `version`, `id`, `attempt`, `channel`, `severity`, `headline`, `total`, `createdAt`, its `case`
 * with the `changes` to it, and `items`, each with its alert's id, rule, kind, severity, status, texts, fields, facts,
 * labels and times. Strings come as they are: escaping is the receiver's. The plain form leaves out `items`.
 */
export function toWebhookBody(
  message: Message,
  { degraded, bodyError }: BodyForm,
): Readonly<Record<string, unknown>> {
  return {
    version: 1,
    id: message.id,
    attempt: message.attempt,
    channel: message.channel,
    severity: message.severity,
    headline: headlineOf(message),
    total: message.total,
    createdAt: isoInstant(message.createdAt),
    pageUrl: message.pageUrl,
    case: message.case && toWebhookCase(message.case),
    changes: message.changes,
    notes: message.notes ?? [],
    items: degraded ? [] : [...message.items, ...message.rest].map(toWebhookItem),
    bodyError,
  }
}

/** So many items are written in one go. */
const writtenAtOnce = 100

/** The documented body as it is sent: a storm's is megabytes. */
export function* writeWebhookBody(message: Message, form: BodyForm): Steps<string> {
  const { items: _, bodyError, ...head } = toWebhookBody({ ...message, items: [], rest: [] }, form)
  const listed = form.degraded ? [] : [...message.items, ...message.rest]
  const items: string[] = []
  for (const [index, item] of listed.entries()) {
    if (index > 0 && index % writtenAtOnce === 0) yield
    items.push(JSON.stringify(toWebhookItem(item)))
  }
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items.join(',')}],${JSON.stringify({ bodyError }).slice(1)}`
}

/** What a body that is configured may ask for: the same, with at most 25 items and the number of the others. */
export function toBodyVariables(message: Message, degraded: boolean): Readonly<Record<string, unknown>> {
  const { bodyError: _, ...documented } = toWebhookBody(
    { ...message, rest: [] },
    { degraded, bodyError: null },
  )
  const told = degraded ? 0 : message.items.length
  return { ...documented, untold: Math.max(message.total - told, 0) }
}

function toWebhookCase(of: MessageCase): object {
  return {
    ...of,
    openedAt: isoInstant(of.openedAt),
    turnAt: isoInstant(of.turnAt),
    closedAt: of.closedAt === null ? null : isoInstant(of.closedAt),
  }
}

function toWebhookItem(item: MessageItem): object {
  return {
    ...item,
    caseId: item.caseId ?? null,
    isTakenBack: item.isTakenBack ?? false,
    fields: item.fields.map(({ label, value, href }) => ({ label, value, href })),
    since: isoInstant(item.since),
    at: isoInstant(item.at),
    joined: item.joined.map(toWebhookItem),
  }
}
