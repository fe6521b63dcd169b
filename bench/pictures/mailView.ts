import type { Email } from 'postal-mime'
import { html } from 'hono/html'
import type { Drawn } from './draw.ts'

/** A mail in a reader's pane: who, what, and its HTML as it was sent. */
export function mailView(mail: Email, scheme: 'light' | 'dark'): Drawn {
  const { from, subject = '', html: markup = '' } = mail
  return html`<div class="mail ${scheme}"><div class="subject">${subject}</div><div class="from">${from?.name} &lt;${from?.address}&gt;</div></div>
<iframe srcdoc="${markup}" style="color-scheme:${scheme}"></iframe>`
}

/** The same mail in a reader that shows its text alone. */
export function textMailView({ subject = '', text = '' }: Email): Drawn {
  return html`<div class="mail light"><div class="subject">${subject}</div></div><pre class="text">${text}</pre>`
}

export const mailStyles = `
.mail { padding: 10px 14px; border-bottom: 1px solid #ccc; }
.mail.dark { background: #202124; color: #e8eaed; border-color: #444; }
.subject { font-size: 15px; font-weight: bold; overflow-wrap: anywhere; }
.from { font-size: 12px; }
iframe { display: block; width: 100%; border: 0; }
pre { margin: 0; padding: 10px 14px; font: 11px/1.5 'DejaVu Sans Mono', monospace; }
`
