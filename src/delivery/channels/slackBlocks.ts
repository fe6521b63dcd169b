import { cutByCost, plainText, type PlainText, slackCost, type SlackText } from './slackText.ts'

/** A button: one with `url` opens that, any other one is told to the app by its `action_id` and `value`. */
export interface SlackButton {
  readonly type: 'button'
  readonly action_id: string
  readonly text: PlainText
  readonly url?: string
  readonly value?: string
  readonly style?: 'primary' | 'danger'
}

export type SlackBlock = { readonly block_id?: string } & (
  | { readonly type: 'header'; readonly text: PlainText }
  | { readonly type: 'section'; readonly text: SlackText }
  | { readonly type: 'context'; readonly elements: SlackText[] }
  | { readonly type: 'actions'; readonly elements: SlackButton[] }
  | { readonly type: 'divider' }
)

const headerRoom = 150
const restRoom = 2_000

/** A headline in a header, which is short, and what of it does not fit there below, so that no word stands twice. */
export function headerBlocks(headline: string, name?: string): SlackBlock[] {
  const [short, rest] = splitHeadline(headline)
  return [
    {
      type: 'header',
      ...(name !== undefined && { block_id: name }),
      text: plainText(short, headerRoom),
    },
    ...(rest === ''
      ? []
      : [
          {
            type: 'section',
            ...(name !== undefined && { block_id: `${name}-rest` }),
            text: plainText(rest, restRoom),
          } satisfies SlackBlock,
        ]),
  ]
}

function splitHeadline(headline: string): readonly [string, string] {
  if (slackCost(headline) <= headerRoom) return [headline, '']
  // What plain_text keeps of it, the ellipsis aside.
  const kept = cutByCost(headline, headerRoom - 1).slice(0, -1)
  const space = kept.lastIndexOf(' ')
  const at = space > headerRoom / 2 ? space : kept.length
  return [`${headline.slice(0, at).trimEnd()} …`, `… ${headline.slice(at).trimStart()}`]
}
