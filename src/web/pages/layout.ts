import { html, raw } from 'hono/html'
import type { Html } from './words.ts'

const pages = [
  ['status', '/', 'Status'],
  ['cases', '/cases', 'Cases'],
  ['transfers', '/transfers', 'Transfers'],
  ['escrows', '/escrows', 'Escrows'],
  ['alerts', '/alerts', 'Alerts'],
  ['breaks', '/breaks', 'Breaks'],
  ['silences', '/silences', 'Silences'],
  ['rules', '/rules', 'Rules'],
  ['reports', '/reports', 'Reports'],
] as const

/** What the frame of a server's pages leads to. */
export interface Site {
  readonly pages: readonly (readonly [name: string, href: string, label: string])[]
  /** What its search finds. */
  readonly finds: string
}

const ownSite: Site = { pages, finds: 'hash, address, symbol or key' }

export interface Layout {
  readonly title: string
  /** The name of one of the site's pages. */
  readonly active: string | null
  /** Whether the page shows the present and so follows it. */
  readonly live: boolean
  /** What the search field holds. */
  readonly query?: string
  readonly main: Html
  /** That of the status page, when left out. */
  readonly site?: Site | undefined
}

/** Where a page says that this node only follows. */
export const noticePlace = '<!-- notice -->'

/** The frame of every page. Styles and script come from their own files: the policy allows nothing inline. */
export function renderLayout({ title, active, live, query = '', main, site = ownSite }: Layout): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – spanwatch</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/app.css">
${live ? html`<noscript><meta http-equiv="refresh" content="30"></noscript>` : ''}
<script src="/assets/app.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  <div class="wrap">
    <a class="brand" href="/"><svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><path d="M2 22h28M5 22v-6M27 22v-6M11 22v-9M16 22v-10M21 22v-9M2 18C8 18 10 11 16 11s8 7 14 7" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/></svg><span>spanwatch</span></a>
    <nav aria-label="Pages">${site.pages.map(([name, href, label]) => renderLink(href, label, active === name))}</nav>
    <form class="search" role="search" action="/search" method="get">
      <label class="hidden" for="q">Search by ${site.finds}</label>
      <input id="q" name="q" type="search" value="${query}" placeholder="${placeholderOf(site)}" maxlength="200" autocomplete="off" spellcheck="false">
      <button>Search</button>
    </form>
  </div>
</header>
${raw(noticePlace)}
${live ? html`<div id="lost" class="lost" role="alert" hidden></div>` : ''}
<main id="main" class="wrap" tabindex="-1"${live ? html` data-follow` : ''}>
${main}
</main>
<footer class="wrap zone"><button type="button" id="zone" class="small" hidden>Times in UTC</button><span id="copied" class="hidden" aria-live="polite"></span></footer>
</body>
</html>`
}

/** `hash, address or key` as `Hash, address, key`. */
function placeholderOf({ finds }: Site): string {
  return `${finds.slice(0, 1).toUpperCase()}${finds.slice(1)}`.replace(' or ', ', ')
}

function renderLink(href: string, label: string, current: boolean): Html {
  return current
    ? html`<a href="${href}" aria-current="page">${label}</a>`
    : html`<a href="${href}">${label}</a>`
}
