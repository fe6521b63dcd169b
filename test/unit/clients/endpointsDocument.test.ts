import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endpoints } from '../../../src/clients/explorer/endpoints.ts'
import { type RpcMethod, rpcMethods } from '../../../src/clients/rpc/rpcMethods.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const document = read('docs/endpoints.md')
const rows = (pattern: RegExp) => [...document.matchAll(pattern)].map(([, ...cells]) => cells)

const endpointRows = rows(/^\| (E\d+) \| `([^`]+)` \| `([^`]+)` \| (.+?) \| (.+?) \|$/gm)
const methodRows = rows(/^\| `(eth_\w+)` \| (.*?) \| (.+?) \| (.+?) \|$/gm)

test('docs/endpoints.md has every endpoint once, with its name and path', () => {
  expect(endpointRows.map(([id, name, path]) => [id, name, path])).toEqual(
    endpoints.map(({ id, name, path }) => [id, name, path]),
  )
})

test('docs/endpoints.md has every method once, with its parameters', () => {
  const declared = Object.entries<RpcMethod>(rpcMethods).map(([method, { takes, otherwise }]) => {
    const params = takes.map((name, at) => (otherwise[at] === undefined ? name : `[${name}]`))
    return [method, params.join(' ')]
  })
  const byName = (one: readonly unknown[], other: readonly unknown[]) =>
    String(one[0]) < String(other[0]) ? -1 : 1
  const written = methodRows.map(([method, params]) => [method, params])
  expect(written.toSorted(byName)).toEqual(declared.toSorted(byName))
})

test.each([
  ['test/integration/clients/endpoints.test.ts', endpointRows, 4],
  ['test/integration/clients/rpcSandbox.test.ts', methodRows, 3],
])('the tests that docs/endpoints.md names are in %s', (path, table, column) => {
  const titles = new Set([...read(path).matchAll(/test\('([^']+)'/g)].map(([, title]) => title))
  expect(table.map((cells) => cells[column]).filter((title) => !titles.has(title))).toEqual([])
})
