import { html } from 'hono/html'
import { anchor, type Drawn, readList, readObject, readText, text, unknown } from './draw.ts'

/** Messages of a channel as Slack shows them, from their payloads. */
export interface SlackPost {
  readonly payload: unknown
  /** At what time it says it was posted. */
  readonly at: string
  readonly isEdited?: boolean
  /** Those that are shown of `count`. */
  readonly replies?: readonly SlackPost[]
  readonly count?: number
  /** A reply that is shown in the channel as well. */
  readonly isBroadcast?: boolean
}

export function slackView(posts: readonly SlackPost[]): Drawn {
  return html`<div class="slack">${posts.map((post) => drawPost(post, false))}</div>`
}

const payloadKeys = ['text', 'blocks', 'mrkdwn', 'link_names', 'unfurl_links', 'unfurl_media']
const postedKeys = ['ts', 'thread_ts', 'reply_broadcast', 'metadata', 'bot_id', 'edits']

function drawPost(post: SlackPost, isReply: boolean): Drawn {
  const { blocks } = readObject(post.payload, [...payloadKeys, ...postedKeys])
  const note = post.isBroadcast === true ? html`<div class="note">also sent to the channel</div>` : ''
  return html`<div class="post ${isReply ? 'reply' : ''}"><div class="face">s</div><div class="main">
<div class="who"><b>spanwatch</b> <span class="app">APP</span> <span class="at">${post.at}</span>${post.isEdited === true ? html` <span class="at">(edited)</span>` : ''}</div>${note}
${readList(blocks).map(drawBlock)}
${post.replies === undefined ? '' : html`<div class="count">${post.count} replies</div><div class="thread">${post.replies.map((one) => drawPost(one, true))}</div>`}
</div></div>`
}

function drawBlock(value: unknown): Drawn {
  const block = readObject(value, ['type', 'block_id', 'text', 'fields', 'elements'])
  switch (block['type']) {
    case 'header':
      return html`<h3 class="text">${drawText(block['text'])}</h3>`
    case 'section':
      return html`<div class="section">${block['text'] === undefined ? '' : html`<div class="text">${drawText(block['text'])}</div>`}
${block['fields'] === undefined ? '' : html`<div class="fields">${readList(block['fields']).map((one) => html`<div class="text">${drawText(one)}</div>`)}</div>`}</div>`
    case 'context':
      return html`<div class="context">${readList(block['elements']).map((one) => html`<span class="text">${drawText(one)}</span>`)}</div>`
    case 'actions':
      return html`<div class="actions">${readList(block['elements']).map(drawButton)}</div>`
    case 'divider':
      return html`<hr>`
    default:
      return unknown('block', value)
  }
}

function drawButton(value: unknown): Drawn {
  const button = readObject(value, ['type', 'action_id', 'text', 'url', 'value', 'style'])
  if (button['type'] !== 'button') return unknown('element', value)
  return html`<span class="button ${readText(button['style'] ?? '')}">${drawText(button['text'])}</span>`
}

function drawText(value: unknown): Drawn {
  const one = readObject(value, ['type', 'text', 'emoji', 'verbatim'])
  const words = readText(one['text'])
  if (one['type'] === 'plain_text') return text(unescape(words))
  return one['type'] === 'mrkdwn' ? drawMarkdown(words) : unknown('text', value)
}

/** Code, links and bold: what else Slack would format is none of ours, and refused. */
function drawMarkdown(words: string): Drawn {
  const pieces = words.matchAll(/`([^`\n]+)`|<([^|>]+)\|([^>]+)>|\*([^*\n]+)\*|([^`<*]+|[^])/g)
  return html`${[...pieces].map(([, code, href, label, bold, plain]) => {
    if (code !== undefined) return html`<code>${unescape(code)}</code>`
    if (href !== undefined) return anchor(unescape(href), text(unescape(label ?? '')))
    if (bold !== undefined) return html`<b>${unescape(bold)}</b>`
    return /[`<*]/.test(plain ?? '') ? unknown('mark', words) : text(unescape(plain ?? ''))
  })}`
}

function unescape(words: string): string {
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

export const slackStyles = `
.slack { background: #fff; color: #1d1c1d; padding: 12px 16px 14px; }
.post { display: flex; gap: 9px; }
.post + .post { margin-top: 14px; }
.face { flex: none; width: 36px; height: 36px; border-radius: 6px; background: #1d4f73; color: #fff; text-align: center; font: bold 20px/34px 'DejaVu Sans'; }
.reply > .face { width: 24px; height: 24px; font-size: 14px; line-height: 22px; }
.main { min-width: 0; flex: 1; }
.app { background: #e8e8e8; color: #616061; font-size: 10px; font-weight: bold; padding: 1px 3px; border-radius: 2px; vertical-align: 1px; }
.at, .note { color: #616061; font-size: 12px; }
h3 { font-size: 17px; line-height: 1.35; margin: 6px 0; }
.section { margin: 6px 0; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 14px; margin-top: 4px; }
.context { display: flex; flex-wrap: wrap; gap: 2px 10px; color: #616061; font-size: 12px; margin: 5px 0; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
.button { border: 1px solid #b8b8b8; border-radius: 5px; padding: 4px 11px; font-weight: bold; font-size: 13px; }
.button.primary { background: #007a5a; border-color: #007a5a; color: #fff; }
.button.danger { background: #e01e5a; border-color: #e01e5a; color: #fff; }
hr { border: 0; border-top: 1px solid #ddd; margin: 10px 0; }
.slack a { color: #1264a3; }
.slack code { font-size: 12px; color: #c01343; background: #f6f6f6; border: 1px solid #ddd; border-radius: 3px; padding: 0 3px; overflow-wrap: anywhere; }
.count { color: #1264a3; font-size: 13px; font-weight: bold; margin: 8px 0; }
.thread { border-left: 2px solid #ddd; padding-left: 12px; }
`
