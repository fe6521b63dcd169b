import { html } from 'hono/html'
import { renderLayout, type Site } from './layout.ts'
import type { Html } from './words.ts'

/** A page that only says something: not found, failed, not understood. */
export function renderMessagePage(title: string, text: string, site?: Site): Html {
  return renderLayout({
    title,
    active: null,
    live: false,
    site,
    main: html`<section class="card"><h1>${title}</h1><p>${text}</p><p><a href="/">${site === undefined ? 'Back to the status page' : 'Back to the first page'}</a></p></section>`,
  })
}
