import { html } from 'hono/html'
import { renderLayout, type Site } from './layout.ts'
import type { Html } from './words.ts'

/** A link to where it goes on. */
export interface Back {
  readonly href: string
  readonly text: string
}

/** A page that only says something: not found, failed, not understood. */
export function renderMessagePage(
  title: string,
  text: string,
  site?: Site,
  back: Back = firstOf(site),
): Html {
  return renderLayout({
    title,
    active: null,
    live: false,
    site,
    main: html`<section class="card"><h1>${title}</h1><p>${text}</p><p><a href="${back.href}">${back.text}</a></p></section>`,
  })
}

function firstOf(site: Site | undefined): Back {
  return { href: '/', text: site === undefined ? 'Back to the status page' : 'Back to the first page' }
}
