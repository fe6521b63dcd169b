import { expect, test } from 'vitest'
import { discordView } from '../../../bench/pictures/discordView.ts'
import { slackView } from '../../../bench/pictures/slackView.ts'
import { teamsView } from '../../../bench/pictures/teamsView.ts'
import { telegramView } from '../../../bench/pictures/telegramView.ts'
import { renderDiscord } from '../../../src/delivery/channels/renderDiscord.ts'
import { renderSlack } from '../../../src/delivery/channels/renderSlack.ts'
import { renderTeams } from '../../../src/delivery/channels/renderTeams.ts'
import { renderTelegram } from '../../../src/delivery/channels/renderTelegram.ts'
import { toCase, toItem, toMessage, zoneHash } from './messages.ts'

// The pictures of docs/channels.md show what is sent, and nothing of it is left out in silence.

const message = toMessage({
  case: toCase(),
  items: [toItem(), toItem({ summary: 'Withdrawal of 3 <b>USDC' })],
})
const drawSlack = (payload: unknown) => slackView([{ payload, at: '09:00' }])
const telegram = (text: string) => ({ chat_id: '1', text, parse_mode: 'HTML' })

test.each([
  ['slack', () => drawSlack(renderSlack(message))],
  ['teams', () => teamsView(renderTeams(message))],
  ['discord', () => discordView(renderDiscord(message))],
  ['telegram', () => telegramView(telegram(renderTelegram(message)))],
])('a picture of %s has all that a person reads, names of tokens escaped', async (_, draw) => {
  const markup = (await draw()).toString().replaceAll('\u2060', '')
  for (const words of ['has not arrived', '1,250,000.5 USDC', zoneHash, 'Ask the relayer', 'Runbook'])
    expect(markup).toContain(words)
  expect(markup).toContain('3 &lt;b&gt;USDC')
})

test.each([
  ['a block', () => drawSlack({ text: '', blocks: [{ type: 'image', image_url: 'x' }] })],
  ['a block of another kind', () => drawSlack({ text: '', blocks: [{ type: 'video' }] })],
  [
    'a mark',
    () => drawSlack({ text: '', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '<!here>' } }] }),
  ],
  [
    'an element',
    () => teamsView({ type: 'message', attachments: [{ contentType: 'text/html', content: 'x' }] }),
  ],
  ['a key of an embed', () => discordView({ content: '', embeds: [{ color: 1, image: { url: 'x' } }] })],
  ['a mark of Discord', () => discordView({ content: '~~gone~~', embeds: [] })],
  ['a tag', () => telegramView(telegram('<u>x</u>'))],
])('%s that a picture cannot show is an error', (_, draw) => {
  expect(draw).toThrow('the picture has no way to show')
})
