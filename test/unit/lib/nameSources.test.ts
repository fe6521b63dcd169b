import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { nameSources } from '../../../src/lib/nameSources.ts'

test('a trace names the lines of the sources that built code was made from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const code = pathToFileURL(join(folder, 'main.js')).href
  // Line 1, column 11 is line 3, column 5 of the source.
  const map = { version: 3, sources: ['../src/watch.ts'], names: [], mappings: 'UAEI' }
  writeFileSync(join(folder, 'main.js.map'), JSON.stringify(map))
  const source = new URL('../src/watch.ts', code).href
  expect(nameSources(`Error: no\n    at look (${code}:1:11)\n    at ${code}:1:14`)).toBe(
    `Error: no\n    at look (${source}:3:5)\n    at ${source}:3:5`,
  )
})

test('what was not built, or has no map, stays as it is', () => {
  const trace =
    'Error: no\n    at file:///nowhere/main.js:1:2\n    at look (file:///src/watch.ts:3:5)\n    at node:internal/timers:1:1'
  expect(nameSources(trace)).toBe(trace)
})
