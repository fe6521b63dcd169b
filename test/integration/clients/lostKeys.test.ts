import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeLacks } from '../../../src/clients/explorer/describeLacks.ts'
import { neutralDialect } from '../../../src/clients/explorer/dialect.ts'
import type { Endpoint } from '../../../src/clients/explorer/endpoint.ts'
import { endpoints } from '../../../src/clients/explorer/endpoints.ts'
import { useOf } from '../../../src/clients/explorer/keys.ts'
import type { WideParams } from '../../../src/clients/explorer/question.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { startStepped, type SteppedSandbox } from '../sandbox/steppedSandbox.ts'
import { questions, settled } from './questions.ts'

// semantics.md 38: each documented key of each of the 21 endpoints is taken away, or spoilt, between the sandbox and
// the client, once in all rows of an answer and once in every second one.

type Row = Readonly<Record<string, unknown>>
type Spoil = (row: Row, index: number) => Row

interface Loss {
  readonly way: 'missing' | 'null' | 'renamed' | 'empty'
  readonly isHalf?: boolean
}

const losses: readonly Loss[] = [
  { way: 'missing' },
  { way: 'missing', isHalf: true },
  { way: 'null' },
  { way: 'renamed' },
]

const without = (row: Row, key: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== key))

const changes: Readonly<Record<Loss['way'], (row: Row, key: string) => Row>> = {
  missing: without,
  null: (row, key) => ({ ...row, [key]: null }),
  renamed: (row, key) => ({ ...without(row, key), [`${key}s`]: row[key] }),
  empty: (row, key) => ({ ...row, [key]: '' }),
}

/** Keys that the service writes otherwise than they are documented, but for the case. */
const written: Readonly<Record<string, string>> = { symbol: 'transactionSymbol', difficulty: 'difficuity' }

let world: SteppedSandbox
let url = ''
let close: () => Promise<void>
let asked: Record<string, WideParams>
let spoil: Spoil = (row) => row
/** Rows of the newest answer, as the sandbox gave them. */
let given: readonly Row[] = []

beforeAll(async () => {
  world = await startStepped(settled)
  world.step(60_000)
  asked = questions(world)
  const answers = new Map<string, string>()
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '/'
      const text = answers.get(path) ?? (await (await fetch(new URL(path, world.sandbox.url))).text())
      answers.set(path, text)
      response.end(JSON.stringify(spoilRows(JSON.parse(text) as { data: Row[] })))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
})
afterAll(async () => {
  await close()
  await world[Symbol.asyncDispose]()
})

/** Rows stand in `data`, or in the one array of the page that `data` holds. */
function spoilRows({ data, ...envelope }: { readonly data: readonly Row[] }) {
  const [first = {}] = data
  const place =
    'totalPage' in first ? Object.keys(first).find((name) => Array.isArray(first[name])) : undefined
  given = place === undefined ? data : (first[place] as Row[])
  const rows = given.map(spoil)
  return { ...envelope, data: place === undefined ? rows : [{ ...first, [place]: rows }] }
}

/** What the client says of an answer whose rows were spoilt so. */
async function ask(endpoint: Endpoint, how: Spoil) {
  spoil = how
  const explorer = createTestExplorer(url)
  try {
    const params = asked[endpoint.id] ?? {}
    const answer = await explorer.call(endpoint, params, { priority: 'urgent', attempts: 1 })
    return { lacks: explorer.keys.list(), setAside: answer.quarantined.map(({ path }) => path) }
  } finally {
    await explorer.close()
  }
}

function keyOf(row: Row, name: string): string | undefined {
  return Object.keys(row).find((key) => key.toLowerCase() === name.toLowerCase() || key === written[name])
}

interface Outcome {
  readonly what: string
  readonly use: 'judged' | 'shown' | null
  readonly isNoticed: boolean
  /** Whether what it is called now is named, where it was renamed. */
  readonly isNamed: boolean
}

async function loseEveryKey(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const endpoint of endpoints) {
    expect(await ask(endpoint, (row) => row), `${endpoint.id} as it is`).toEqual({ lacks: [], setAside: [] })
    const sample: Row = Object.assign({}, ...given)
    for (const [field, keyClass] of Object.entries(endpoint.keys)) {
      const key = keyOf(sample, field)
      if (keyClass === 'none') continue
      if (key === undefined) {
        expect(keyClass, `${endpoint.id} ${field} may be left out`).toMatch(/\?$/)
        continue
      }
      const ways: readonly Loss[] = keyClass.endsWith('!') ? [...losses, { way: 'empty' }] : losses
      for (const { way, isHalf = false } of ways) {
        const change = changes[way]
        const { lacks, setAside } = await ask(endpoint, (row, index) =>
          isHalf && index % 2 === 1 ? row : change(row, key),
        )
        const said = describeLacks(neutralDialect, lacks).map(({ problem }) => problem)
        outcomes.push({
          what: `${endpoint.id} ${field} ${way}${isHalf ? ' in half of the rows' : ''}`,
          use: keyClass.endsWith('?') ? null : useOf(keyClass),
          isNoticed:
            lacks.some((lack) => lack.endpoint === endpoint.id && lack.field === field) ||
            setAside.some((path) => path.toLowerCase() === key.toLowerCase()),
          isNamed: way !== 'renamed' || said.some((text) => text.includes(`\`${key}s\``)),
        })
      }
    }
  }
  return outcomes
}

test('semantics.md 38: the loss of any judged-by or shown key is noticed, and what it is called now is named', async () => {
  const outcomes = await loseEveryKey()
  const judged = outcomes.filter(({ use }) => use === 'judged')
  const shown = outcomes.filter(({ use }) => use === 'shown')
  const named = (some: readonly Outcome[]) => some.map(({ what }) => what)
  expect(new Set(named(judged).map((what) => what.split(' ', 2).join(' '))).size).toBe(164)
  for (const some of [judged, shown]) {
    expect(named(some.filter(({ isNoticed }) => isNoticed))).toEqual(named(some))
    expect(named(some.filter(({ isNamed }) => !isNamed))).toEqual([])
  }
  expect(named(outcomes.filter(({ use, isNoticed }) => use === null && isNoticed))).toEqual([])
})
