import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/**
 * A trace of built code with the lines of the sources. Node could do so with each trace that is made, and would hold the
 * maps for it: this reads them for what is really shown.
 */
export function nameSources(trace: string): string {
  const maps = new Map<string, SourceMap | null>()
  return trace.replaceAll(
    /(file:\/\/[^\s():]+\.js):(\d+):(\d+)/g,
    (place, file: string, line: string, column: string) => {
      let map = maps.get(file)
      if (map === undefined) maps.set(file, (map = readMap(file)))
      const entry = map?.findEntry(Number(line) - 1, Number(column) - 1)
      if (!entry || !('originalSource' in entry)) return place
      const source = new URL(entry.originalSource, file).href
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    },
  )
}

/** What is not built has none. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')))
  } catch {
    return null
  }
}
