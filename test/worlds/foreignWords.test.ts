import { findingText } from '../support/readFinding.ts'
import { expect, test } from 'vitest'
import { createBridgeWorld, token } from '../support/bridgeWorld.ts'
import { toOpenWire, type WireRecord } from '../support/fakeExplorer.ts'

// A deployment whose fields carry other words than `explorer.dialect.field` says: every leg seems to be left out.

const second = 1_000
const minute = 60 * second

function respell(record: WireRecord, words: Readonly<Record<string, string>>): WireRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const [, chain = '', rest = ''] = /^(main|zone)([A-Z].*)$/.exec(key) ?? []
      return [chain in words ? `${words[chain]}${rest}` : key, value]
    }),
  )
}

test.each([
  { which: 'both', words: { main: 'acme', zone: 'az' } },
  { which: 'main', words: { main: 'acme' } },
  { which: 'zone', words: { zone: 'az' } },
])(
  'semantics.md 38: field words that do not fit ($which) are told at once, and nothing false is',
  async ({ words }) => {
    const world = await createBridgeWorld({
      prepare({ fake, withdraw, now }) {
        fake.spell = (record) => respell(record, words)
        for (let n = 0; n < 6; n += 1) withdraw(n)
        // What is on its way when the daemon starts, and would be late by the end.
        const at = String(now() - minute)
        for (const open of [
          toOpenWire({ zoneBlockTime: at, tokenContractAddress: token }),
          toOpenWire({ zoneBlockTime: String(now() - 2 * minute), tokenContractAddress: token }),
        ])
          fake.records.unshift(open)
      },
    })
    const { db } = world.monitor.app.parts
    const conditions = () =>
      db
        .prepare("SELECT kind, finding FROM alerts WHERE nature = 'condition' ORDER BY id")
        .all()
        .map((row) => ({
          kind: String(row['kind']),
          says: findingText(row['finding']),
        }))
    const startedAt = world.now()
    await world.until(() => conditions().length > 0, 'the drift')
    expect(world.now() - startedAt).toBeLessThan(20 * second)
    world.withdraw(90, { status: '0x0' })
    await world.pass(8 * minute)
    for (const [chain, word] of Object.entries(words))
      expect(
        conditions().some(({ says }) =>
          says.includes(`the rows have \`${word}TxHash\`: set explorer.dialect.field.${chain}: ${word}`),
        ),
      ).toBe(true)
    expect(new Set(conditions().map(({ kind }) => kind))).toEqual(new Set(['source.drift']))
    expect(new Set(world.told().map(({ kind }) => kind))).toEqual(new Set(['transfer.failed']))
  },
)
