/** What Slack shows somewhere in a message. */
export type SlackText = PlainText | MarkdownText

export interface PlainText {
  readonly type: 'plain_text'
  readonly text: string
  /** False: `:name:` in data stays what it is. */
  readonly emoji: false
}

interface MarkdownText {
  readonly type: 'mrkdwn'
  readonly text: string
  /** True: Slack links no names and addresses by itself. */
  readonly verbatim: true
}

// Characters that JSON or Slack's escaping makes longer, with what one of them costs in the request body.
const costs: Readonly<Record<string, number>> = { '&': 5, '<': 4, '>': 4, '"': 2, '\\': 2, '\n': 2 }

/** How many characters of the request body a text takes once it is escaped. */
export function slackCost(text: string): number {
  let cost = 0
  for (const char of text) cost += costs[char] ?? char.length
  return cost
}

/**
 * Escapes text from outside for Slack and cuts it so that it costs at most `maxCost`, at a character's boundary and
 * never inside an escape. Mentions, channels and links exist only between real angle brackets: none are left.
 * @example toSlackText('<!channel> & co', 100) // '&lt;!channel&gt; &amp; co'
 */
export function toSlackText(text: string, maxCost: number): string {
  return escapeSlack(slackCost(text) <= maxCost ? text : cutByCost(text, maxCost))
}

/** `&` first, or the entities of the other two would be escaped again. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Text as it was before it was escaped. */
export function unescapeSlack(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Text from outside where Slack formats nothing. */
export function plainText(text: string, maxCost: number): PlainText {
  return { type: 'plain_text', text: toSlackText(text === '' ? '–' : text, maxCost), emoji: false }
}

export function markdown(text: string): MarkdownText {
  return { type: 'mrkdwn', text, verbatim: true }
}

/** A value as code: nothing formats inside it, and no backtick of the value ends it. */
export function codeSpan(value: string, maxCost: number): string {
  const inert = value.replaceAll('`', "'").trim()
  return `\`${toSlackText(inert === '' ? '–' : inert, maxCost - 2)}\``
}

/** What of a text costs at most so much, an ellipsis behind it. */
export function cutByCost(text: string, maxCost: number): string {
  let kept = ''
  let cost = 1 // the ellipsis
  for (const char of text) {
    cost += costs[char] ?? char.length
    if (cost > maxCost) break
    kept += char
  }
  return `${kept}…`
}

/** The room that text takes once it is escaped for Slack: JSON still doubles quotes and backslashes. */
export function slackLength(escaped: string): number {
  return JSON.stringify(escaped).length - 2
}

/** An active link: the address went through `safeLink`, the words are ours. */
export function link(href: string, words: string): string {
  return `<${escapeSlack(href)}|${escapeSlack(words.replace(/[|*_~`]/g, ' '))}>`
}
