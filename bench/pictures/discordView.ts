import { html } from 'hono/html'
import { anchor, type Drawn, readList, readObject, readText, text, unknown } from './draw.ts'

/** One message as Discord shows it: a line, and its embeds. */
export function discordView(message: unknown): Drawn {
  const { content, embeds } = readObject(message, ['content', 'embeds', 'allowed_mentions'])
  return html`<div class="discord"><div class="face">s</div><div class="main">
<div class="who"><b>spanwatch</b> <span class="app">APP</span></div>
<div class="text">${drawMarkdown(readText(content))}</div>
${readList(embeds).map(drawEmbed)}</div></div>`
}

function drawEmbed(value: unknown): Drawn {
  const { description, color, fields, footer, timestamp } = readObject(value, [
    'description',
    'color',
    'fields',
    'footer',
    'timestamp',
  ])
  const edge = typeof color === 'number' ? `#${color.toString(16).padStart(6, '0')}` : unknown('color', color)
  return html`<div class="embed" style="border-color:${edge}">
${description === undefined ? '' : html`<div class="text">${drawMarkdown(readText(description))}</div>`}
${readList(fields).map((one) => {
  const field = readObject(one, ['name', 'value', 'inline'])
  return html`<div class="field"><b>${drawMarkdown(readText(field['name']))}</b><div class="text">${drawMarkdown(readText(field['value']))}</div></div>`
})}
${footer === undefined ? '' : html`<div class="footer">${text(readText(readObject(footer, ['text'])['text']))}${timestamp === undefined ? '' : ` • ${readText(timestamp).slice(0, 16).replace('T', ' ')}`}</div>`}
</div>`
}

/** Bold, code, links and escapes: any other mark is none of ours, and refused. */
function drawMarkdown(words: string): Drawn {
  const pieces = words.matchAll(
    /\\(.)|\*\*((?:\\.|[^\\*])+)\*\*|`([^`]+)`|\[((?:\\.|[^\\\]])+)\]\(<([^>]+)>\)|([^\\*`[\]<>_~|]+)|([^])/g,
  )
  return html`${[...pieces].map(([, escaped, bold, code, label, href, plain, odd]) => {
    if (escaped !== undefined) return escaped
    if (bold !== undefined) return html`<b>${drawMarkdown(bold)}</b>`
    if (code !== undefined) return html`<code>${code}</code>`
    if (href !== undefined) return anchor(href, drawMarkdown(label ?? ''))
    return odd === undefined ? text(plain ?? '') : unknown(`mark ${odd}`, words)
  })}`
}

export const discordStyles = `
.discord { background: #313338; color: #dbdee1; padding: 12px 16px; display: flex; gap: 12px; }
.discord .face { flex: none; width: 36px; height: 36px; border-radius: 50%; background: #1d4f73; color: #fff; text-align: center; font: bold 20px/34px 'DejaVu Sans'; }
.discord .main { min-width: 0; flex: 1; }
.discord .who b { color: #f2f3f5; }
.discord .app { background: #5865f2; color: #fff; font-size: 10px; padding: 1px 4px; border-radius: 3px; vertical-align: 1px; }
.embed { background: #2b2d31; border-left: 4px solid; border-radius: 4px; padding: 9px 12px; margin-top: 6px; font-size: 13px; max-width: 560px; }
.field { margin-top: 6px; }
.footer { color: #b5bac1; font-size: 11px; margin-top: 6px; }
.discord a { color: #00a8fc; }
.discord code { background: #1e1f22; font-size: 12px; padding: 0 3px; border-radius: 3px; overflow-wrap: anywhere; }
`
