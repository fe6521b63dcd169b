import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { isObject } from '../../src/lib/isObject.ts'

export type Drawn = HtmlEscapedString | Promise<HtmlEscapedString>
export type Json = Readonly<Record<string, unknown>>

/** What a view does not know how to show it must not leave out in silence. */
export function unknown(what: string, value: unknown): never {
  throw new Error(`the picture has no way to show this ${what}: ${JSON.stringify(value).slice(0, 300)}`)
}

/** An object of which the view knows every key. */
export function readObject(value: unknown, keys: readonly string[]): Json {
  if (!isObject(value)) return unknown('value', value)
  const odd = Object.keys(value).find((key) => !keys.includes(key))
  return odd === undefined ? value : unknown(`key ${odd}`, value)
}

export function readList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : unknown('list', value)
}

export function readText(value: unknown): string {
  return typeof value === 'string' ? value : unknown('text', value)
}

const disc = (color: string) => raw(`<i class="emoji" style="background:${color}"></i>`)
const sign = (path: string) =>
  raw(`<svg class="sign" viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">${path}</svg>`)

/** Drawn, because not every machine has a font with colours. */
const emoji: Readonly<Record<string, HtmlEscapedString>> = {
  '🔴': disc('#dd2e44'),
  '🟠': disc('#f4900c'),
  '🔵': disc('#55acee'),
  '🟢': disc('#78b159'),
  '⚪': disc('#c3cdd6'),
  '👀': sign(
    '<g fill="#fff" stroke="#66757f"><ellipse cx="4.5" cy="8" rx="3" ry="5"/><ellipse cx="11.5" cy="8" rx="3" ry="5"/></g><circle cx="3.8" cy="9" r="1.6"/><circle cx="10.8" cy="9" r="1.6"/>',
  ),
  '✅': sign(
    '<rect width="16" height="16" rx="2" fill="#77b255"/><path d="M3 8l4 4 6-8" fill="none" stroke="#fff" stroke-width="2"/>',
  ),
  '👤': sign('<g fill="#4289c1"><circle cx="8" cy="5" r="3.5"/><path d="M1 16a7 7 0 0 1 14 0z"/></g>'),
  '📝': sign(
    '<rect x="2" width="12" height="16" fill="#e1e8ed"/><path d="M4 4h8M4 8h8M4 12h5" stroke="#66757f"/>',
  ),
  '🔀': sign(
    '<rect width="16" height="16" rx="2" fill="#3b88c3"/><path d="M2 5h3l6 6h3M2 11h3l6-6h3" fill="none" stroke="#fff" stroke-width="1.6"/>',
  ),
}

/** Text as it is, its line breaks kept by the style sheet; emoji are drawn. */
export function text(value: string): Drawn {
  const parts = value.split(/([\u{1f300}-\u{1faff}\u2600-\u27bf\u26aa])\ufe0f?/u)
  return html`${parts.map((part) => (/^[\u{1f300}-\u{1faff}\u2600-\u27bf\u26aa]$/u.test(part) ? (emoji[part] ?? unknown('emoji', part)) : part))}`
}

export function anchor(href: string, words: Drawn): Drawn {
  return html`<a href="${href}">${words}</a>`
}

/** A page with one message on it. */
export function page(of: { readonly styles: string; readonly width: number; readonly body: Drawn }): string {
  const markup = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><style>${raw(common + of.styles)}</style></head>
<body style="width:${of.width}px">${of.body}</body></html>`
  // `html` gives a promise only when something inside is one, and nothing here is.
  return markup instanceof Promise ? unknown('promise', null) : markup.toString()
}

const common = `
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 'DejaVu Sans', sans-serif; font-stretch: condensed; }
a { text-decoration: none; }
code { font-family: 'DejaVu Sans Mono', monospace; }
.emoji { display: inline-block; width: 0.95em; height: 0.95em; border-radius: 50%; vertical-align: -0.1em; }
.sign { vertical-align: -0.15em; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
`
