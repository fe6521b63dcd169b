import { handLine, moneyLine } from './caseWords.ts'
import { compactLines, fitMessage } from './fitMessage.ts'
import type { Message, MessageItem } from './message.ts'
import {
  countUntold,
  fieldsOf,
  fitText,
  headlineOf,
  idLine,
  isSaidByHeadline,
  originLine,
  part,
  safeLink,
  storyLink,
  verdictLine,
} from './textParts.ts'

interface OpenUrl {
  readonly type: 'Action.OpenUrl'
  readonly title?: string
  readonly url: string
}

/** Text as it is: unlike every other element of a card it knows no Markdown, so that no text can format or link. */
interface TextRun {
  readonly type: 'TextRun'
  readonly text: string
  readonly weight?: 'Bolder'
  readonly size?: 'Large'
  readonly color?: 'Attention' | 'Warning' | 'Accent' | 'Good'
  readonly isSubtle?: true
  readonly fontType?: 'Monospace'
  readonly selectAction?: OpenUrl
}

interface RichTextBlock {
  readonly type: 'RichTextBlock'
  readonly separator?: true
  readonly inlines: readonly TextRun[]
}

interface AdaptiveCard {
  readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json'
  readonly type: 'AdaptiveCard'
  readonly version: '1.4'
  /** For clients that show no cards. */
  readonly fallbackText: string
  readonly msteams: { readonly width: 'Full' }
  readonly body: readonly RichTextBlock[]
  readonly actions?: readonly OpenUrl[]
}

/** The body of one request. */
interface TeamsMessage {
  readonly type: 'message'
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive'
      readonly contentUrl: null
      readonly content: AdaptiveCard
    },
  ]
}

/**
 * Teams takes 28 kB, of which we leave some; some ways to it count each character as two bytes, so the whole has to be
 * within the limit by either count.
 */
const mostBytes = 27_000
const limits = { headline: 300, plain: 3_000, field: 500 } as const

/** A message as an adaptive card, always within the size that Teams takes. */
export function renderTeams(message: Message): TeamsMessage {
  return fitMessage({
    message,
    full: () =>
      frame(
        message,
        message.items.flatMap((item) => fullItem(message, item)),
        message.items.length,
      ),
    compact: (items, room) =>
      frame(
        message,
        items.map((item) => compactItem(item, room)),
        items.length,
      ),
    fits: (rendered) => {
      const text = JSON.stringify(rendered)
      return text.length * 2 <= mostBytes && Buffer.byteLength(text) <= mostBytes
    },
  })
}

/** The plain form: after a refused message, a card of text alone. */
export function renderTeamsPlain(message: Message): TeamsMessage {
  const [first] = message.items
  const lines = first === undefined ? [] : compactLines(first, limits.plain)
  const untold = countUntold(message.total, first === undefined ? 0 : 1)
  const text = [
    fitText(headlineOf(message), limits.headline),
    ...lines,
    ...(untold > 0 ? [`… and ${untold} more`] : []),
    idLine(message),
  ]
  return toMessage(
    message,
    text.map((line) => block(run(line))),
  )
}

function toMessage(
  message: Message,
  body: readonly RichTextBlock[],
  actions: readonly OpenUrl[] = [],
): TeamsMessage {
  const content: AdaptiveCard = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: inert(fitText(headlineOf(message), limits.headline)),
    msteams: { width: 'Full' },
    body,
    ...(actions.length > 0 && { actions }),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

function frame(message: Message, body: readonly RichTextBlock[], told: number): TeamsMessage {
  const untold = countUntold(message.total, told)
  const head = run(fitText(headlineOf(message), limits.headline), {
    weight: 'Bolder',
    size: 'Large',
    color: colorOf(message),
  })
  return toMessage(
    message,
    [
      block(head),
      ...caseLines(message).map((line) => block(run(line))),
      ...body,
      ...(untold > 0 ? [block(run(`… and ${untold} more`, { weight: 'Bolder' }))] : []),
      block(run(idLine(message), { isSubtle: true })),
    ],
    listActions(message),
  )
}

function caseLines({ case: of }: Message): string[] {
  if (of === null) return []
  const money = moneyLine(of.money)
  const hand = handLine(of)
  return [
    ...(money === '' ? [] : [fitText(`At risk: ${money}`, limits.field)]),
    fitText(`Case ${part(of.id, 40)}: ${part(of.title, 300)}`, limits.field),
    ...(hand === null ? [] : [fitText(hand, limits.field)]),
  ]
}

const colors = { critical: 'Attention', warning: 'Warning', info: 'Accent' } as const

function colorOf({ items, severity }: Message): NonNullable<TextRun['color']> {
  const isWell = items.length > 0 && items.every(({ status }) => status === 'resolved')
  return isWell ? 'Good' : colors[severity]
}

function listActions(message: Message): OpenUrl[] {
  const page = safeLink(message.case?.url ?? message.pageUrl)
  const runbook = message.items.map((item) => safeLink(item.runbook)).find((href) => href !== null)
  return [
    ...(page === null ? [] : [open(message.case?.url ? 'Case' : 'Status page', page)]),
    ...(runbook === undefined || runbook === null ? [] : [open('Runbook', runbook)]),
  ]
}

function open(title: string, url: string): OpenUrl {
  return { type: 'Action.OpenUrl', title, url }
}

function fullItem(message: Message, item: MessageItem): RichTextBlock[] {
  const isSaid = isSaidByHeadline(message) && headlineOf(message).length <= limits.headline
  const story = storyLink(message, item)
  return [
    {
      ...block(
        ...(isSaid ? [] : [run(`${verdictLine(item)}\n`, { weight: 'Bolder' })]),
        run(part(item.subject)),
        ...(item.remedy === null ? [] : [run(`\nWhat to do: ${part(item.remedy, 300)}`)]),
      ),
      separator: true,
    },
    ...fieldsOf(item).map(fieldBlock),
    block(
      run(originLine(item), {
        isSubtle: true,
        ...(story !== null && { selectAction: { type: 'Action.OpenUrl', url: story } }),
      }),
    ),
  ]
}

function fieldBlock(field: MessageItem['fields'][number]): RichTextBlock {
  const href = safeLink(field.href)
  const value = part(field.value, limits.field) || '–'
  return block(
    run(`${part(field.label, 60) || 'Field'}: `, { weight: 'Bolder' }),
    run(value, {
      ...(/^0x[0-9a-f]{8,}$/i.test(value) && { fontType: 'Monospace' }),
      ...(href !== null && { selectAction: { type: 'Action.OpenUrl', url: href } }),
    }),
  )
}

function compactItem(item: MessageItem, room: number): RichTextBlock {
  const [verdict = '', ...lines] = compactLines(item, room)
  return {
    ...block(run(verdict, { weight: 'Bolder' }), ...lines.map((line) => run(`\n${line}`))),
    separator: true,
  }
}

function block(...inlines: readonly TextRun[]): RichTextBlock {
  return { type: 'RichTextBlock', inlines }
}

function run(text: string, style: Omit<TextRun, 'type' | 'text'> = {}): TextRun {
  return { type: 'TextRun', text: inert(text), ...style }
}

/** Cards put a date in the place of `{{DATE(…)}}`, and Teams a person in that of `<at>`. */
function inert(text: string): string {
  return text.replace(/\{(?=\{)/g, '{ ').replace(/<(?=\/?at\b)/gi, '‹')
}
