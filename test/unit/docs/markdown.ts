import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..', '..')

export function readDoc(path: string): string {
  return readFileSync(join(root, path), 'utf8')
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
