import { html, raw } from 'hono/html'
import { readHtml } from '../../test/support/fakeTelegram.ts'
import { type Drawn, readObject, readText, unknown } from './draw.ts'

const keys = [
  'chat_id',
  'message_thread_id',
  'link_preview_options',
  'text',
  'parse_mode',
  'reply_parameters',
]

/** Messages of one chat as Telegram shows them. */
export function telegramView(messages: readonly unknown[], lineOfFirst: string): Drawn {
  return html`<div class="telegram">${messages.map((one) => drawBubble(one, lineOfFirst))}</div>`
}

function drawBubble(message: unknown, lineOfFirst: string): Drawn {
  const { text, parse_mode: mode, reply_parameters: reply } = readObject(message, keys)
  if (mode !== 'HTML') return unknown('parse mode', mode)
  const markup = readText(text)
  const read = readHtml(markup)
  // As Telegram's own parser takes it: nothing but its tags is in there.
  if (typeof read === 'string') return unknown(`markup (${read})`, markup)
  return html`<div class="bubble"><b class="name">spanwatch</b>
${reply === undefined ? '' : html`<div class="quote"><b>spanwatch</b><br>${lineOfFirst}</div>`}<div class="text">${raw(markup)}</div></div>`
}

export const telegramStyles = `
.telegram { background: #b5c9a8; padding: 12px 14px; }
.bubble { background: #fff; color: #111; border-radius: 10px; padding: 7px 11px; max-width: 520px; font-size: 13px; }
.bubble + .bubble { margin-top: 8px; }
.name { color: #3a8bc0; font-size: 13px; }
.quote { border-left: 3px solid #3a8bc0; background: #eef5fa; border-radius: 4px; padding: 2px 7px; margin: 2px 0 4px; font-size: 12px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.quote b { color: #3a8bc0; }
.telegram a { color: #168acd; }
.telegram code { color: #0f6b9c; font-size: 12px; overflow-wrap: anywhere; }
`
