import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from 'hono/html'
import { home } from '../../lib/home.ts'
import { renderLayout } from './layout.ts'
import type { Html } from './words.ts'

/** The chapters of docs/runbooks.md by the kind that each is of; none where the file was not installed. */
export function readRunbooks(path = join(home, 'docs/runbooks.md')): ReadonlyMap<string, string> {
  const chapters = readDocument(path)
    .split(/^## /m)
    .slice(1)
    .flatMap((chapter) => {
      const [, kind, text] = /^`([a-z_.]+)`\s+([^]*)$/.exec(chapter) ?? []
      return kind === undefined || text === undefined ? [] : [[kind, text.trim()] as const]
    })
  return new Map(chapters)
}

function readDocument(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** One chapter: paragraphs and numbered steps, all of it escaped; nothing is loaded from elsewhere. */
export function renderRunbookPage(kind: string, chapter: string): Html {
  return renderLayout({
    title: `Runbook of ${kind}`,
    active: null,
    live: false,
    main: html`<section class="card"><h1>Runbook: <code>${kind}</code></h1>
${chapter.split(/\n\s*\n/).map(renderBlock)}
</section>`,
  })
}

function renderBlock(block: string): Html {
  const steps = block.split(/^\d+\. /m).slice(1)
  if (steps.length === 0) return html`<p>${renderInline(block)}</p>`
  return html`<ol>${steps.map((step) => html`<li>${renderInline(step.trim())}</li>`)}</ol>`
}

/** Words, `code`, **what is strong** and the words of links: their targets are other files. */
function renderInline(text: string): Html {
  const parts = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').split(/(`[^`]*`|\*\*[^*]*\*\*)/)
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part
  })}`
}
