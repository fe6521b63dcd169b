import { html, raw } from 'hono/html'
import { readHtml } from '../../test/support/fakeTelegram.ts'
import { type Drawn, readObject, readText, unknown } from './draw.ts'

/** One message that replies to none, as Telegram shows it. */
export function telegramView(message: unknown): Drawn {
  const keys = ['chat_id', 'message_thread_id', 'link_preview_options', 'text', 'parse_mode']
  const { text, parse_mode: mode } = readObject(message, keys)
  if (mode !== 'HTML') return unknown('parse mode', mode)
  const markup = readText(text)
  const read = readHtml(markup)
  // As Telegram's own parser takes it: nothing but its tags is in there.
  if (typeof read === 'string') return unknown(`markup (${read})`, markup)
  return html`<div class="telegram"><div class="bubble"><b class="name">spanwatch</b>
<div class="text">${raw(markup)}</div></div></div>`
}

export const telegramStyles = `
.telegram { background: #b5c9a8; padding: 12px 14px; }
.bubble { background: #fff; color: #111; border-radius: 10px; padding: 7px 11px; max-width: 520px; font-size: 13px; }
.name { color: #3a8bc0; font-size: 13px; }
.telegram a { color: #168acd; }
.telegram code { color: #0f6b9c; font-size: 12px; overflow-wrap: anywhere; }
`
