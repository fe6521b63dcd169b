import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..', '..')

export function readDoc(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export interface Document {
  readonly path: string
  readonly text: string
}

/** README and all of docs/. */
export function listDocuments(): Document[] {
  return ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readDoc(path) }))
}

/**
 * The command lines of spanwatch that a document prints, in order, as arguments: what follows `npm run spanwatch --`
 * and `npm start --`, and what stands in code ticks after `spanwatch`. What leaves something out with … is none.
 */
export function listCommandLines(text: string): string[][] {
  const printed =
    /(?:npm run (?:--silent )?spanwatch -- |(npm start)(?: -- )?|`spanwatch (?=[a-z-]))([^`\n|#\\]*)/g
  return [...text.matchAll(printed)]
    .map(([, demo, words = '']) => [...(demo === undefined ? [] : ['demo']), ...splitWords(words)])
    .filter((words) => words.length > 0 && !words.some((word) => word.includes('…')))
}

/** As a shell does with quotes and blanks. */
function splitWords(line: string): string[] {
  return (line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ''))
}

export interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced code of a document, in order. */
export function listBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** The cells of every table row below a header row that begins with these cells; formatting stays. */
export function readTable(markdown: string, ...header: readonly string[]): string[][] {
  const tables = markdown
    .split(/\n\n+/)
    .map((part) => part.split('\n').filter((line) => line.startsWith('|')))
  const found = tables.find(([first = '']) => header.every((cell, index) => toCells(first)[index] === cell))
  return (found ?? []).slice(2).map(toCells)
}

function toCells(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** Every `code` of a text. */
export function listCodes(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}

/** What a document links to, without what lies elsewhere or on the same page. */
export function listLinks(markdown: string): string[] {
  const links = [...markdown.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target)
  return links.filter((target) => !/^\w+:/.test(target))
}
