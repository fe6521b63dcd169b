import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { MonitorError } from '../../lib/errors.ts'
import { mailStyles, styleSheet } from './mailStyles.ts'

export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

export interface MailFrame {
  readonly title: string
  /** Rules beyond the common ones. */
  readonly styles?: Markup
  /** Inline style of the one column. */
  readonly column: string
  /** Table rows: head, cards, foot. */
  readonly rows: readonly (Markup | readonly Markup[] | '')[]
}

/** The page around what a mail says: tables and inline styles, light and dark, nothing from elsewhere. */
export function mailFrame({ title, styles, column, rows }: MailFrame): string {
  const markup = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${styleSheet}${styles ?? ''}</style>
</head>
<body class="page" style="${mailStyles.page}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="page" style="${mailStyles.outer}">
<tr><td align="center" style="${mailStyles.gutter}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="${column}">
${rows}
</table>
</td></tr>
</table>
</body>
</html>`
  // `html` gives a promise only when something inside is one, and nothing here is.
  if (markup instanceof Promise) throw new MonitorError('internal', 'the mail cannot be rendered at once')
  return markup.toString()
}
