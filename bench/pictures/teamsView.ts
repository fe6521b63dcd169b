import { html } from 'hono/html'
import { anchor, type Drawn, readList, readObject, readText, text, unknown } from './draw.ts'

/** One message as Teams shows it: its adaptive card. */
export function teamsView(message: unknown): Drawn {
  const { attachments } = readObject(message, ['type', 'attachments'])
  const cards = readList(attachments).map((one) => {
    const { contentType, content } = readObject(one, ['contentType', 'contentUrl', 'content'])
    return contentType === 'application/vnd.microsoft.card.adaptive'
      ? drawCard(content)
      : unknown('attachment', one)
  })
  return html`<div class="teams"><div class="who"><b>Workflows</b></div>${cards}</div>`
}

function drawCard(value: unknown): Drawn {
  const card = readObject(value, ['$schema', 'type', 'version', 'fallbackText', 'msteams', 'body', 'actions'])
  return html`<div class="card">${readList(card['body']).map(drawBlock)}
<div class="actions">${readList(card['actions']).map((one) => {
    const { type, title } = readObject(one, ['type', 'title', 'url'])
    return type === 'Action.OpenUrl'
      ? html`<span class="button">${readText(title)}</span>`
      : unknown('action', one)
  })}</div></div>`
}

function drawBlock(value: unknown): Drawn {
  const { type, separator, inlines } = readObject(value, ['type', 'separator', 'inlines'])
  if (type !== 'RichTextBlock') return unknown('element', value)
  return html`<div class="text ${separator === true ? 'separated' : ''}">${readList(inlines).map(drawRun)}</div>`
}

const runKeys = ['type', 'text', 'weight', 'size', 'color', 'isSubtle', 'fontType', 'selectAction']

function drawRun(value: unknown): Drawn {
  const run = readObject(value, runKeys)
  if (run['type'] !== 'TextRun') return unknown('run', value)
  const styles = ['weight', 'size', 'color', 'fontType'].flatMap((key) =>
    run[key] === undefined ? [] : [readText(run[key]).toLowerCase()],
  )
  const words = text(readText(run['text']))
  const action = run['selectAction'] === undefined ? null : readObject(run['selectAction'], ['type', 'url'])
  const inside = action === null ? words : anchor(readText(action['url']), words)
  return html`<span class="${styles.join(' ')} ${run['isSubtle'] === true ? 'subtle' : ''}">${inside}</span>`
}

export const teamsStyles = `
.teams { background: #f5f5f5; color: #242424; padding: 12px 16px; }
.teams .who { font-size: 12px; margin-bottom: 4px; }
.card { background: #fff; border: 1px solid #e0e0e0; border-radius: 6px; padding: 12px 14px; }
.card > .text { margin-bottom: 8px; }
.separated { border-top: 1px solid #e0e0e0; padding-top: 8px; }
.bolder { font-weight: bold; }
.large { font-size: 17px; }
.small { font-size: 12px; }
.attention { color: #c4314b; }
.warning { color: #986100; }
.accent { color: #5b5fc7; }
.good { color: #237b4b; }
.subtle { color: #616161; }
.monospace { font-family: 'DejaVu Sans Mono', monospace; font-size: 12px; }
.teams a { color: inherit; text-decoration: underline; text-decoration-color: #5b5fc7; }
.teams .actions { display: flex; gap: 8px; flex-wrap: wrap; }
.teams .button { border: 1px solid #d1d1d1; border-radius: 4px; padding: 4px 12px; font-size: 13px; font-weight: bold; }
`
