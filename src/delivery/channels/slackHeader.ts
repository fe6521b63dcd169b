import type { SlackBlock } from './renderSlack.ts'
import { cutByCost, plainText, slackCost } from './slackText.ts'

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
