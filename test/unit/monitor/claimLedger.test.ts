import { expect, onTestFinished, test } from 'vitest'
import { assertOwner, claimLedger } from '../../../src/monitor/claimLedger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { noBridge, plainConfig } from '../../support/appConfig.ts'

const one = `0x${'1'.repeat(40)}`
const two = `0x${'2'.repeat(40)}`

function setUp() {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  return (
    changes: { baseUrl?: string; main?: string; contracts?: readonly string[] } = {},
    adopt = false,
  ) => {
    const { baseUrl = 'https://explorer.example.com', main = 'MAINCHAIN', contracts = [one] } = changes
    const explorer = { ...plainConfig.explorer, baseUrl, chains: { main, zone: 'ZONE_CHAIN' } }
    return claimLedger(db, { explorer, bridge: { ...noBridge, contracts: [...contracts] } }, adopt)
  }
}

test.each([
  { title: 'the same', changes: {} },
  { title: 'a contract more', changes: { contracts: [one, two] } },
  { title: 'no contracts named any more', changes: { contracts: [] } },
])('F85: a ledger goes on with $title', ({ changes }) => {
  const claim = setUp()
  claim()
  expect(claim(changes)).toEqual({ moved: null })
})

test('F85: contracts that change one after the other stay the same bridge, each step by what was before it', () => {
  const claim = setUp()
  claim()
  claim({ contracts: [one, two] })
  expect(claim({ contracts: [two] })).toEqual({ moved: null })
})

test('F85: an explorer that moved is the same bridge, and is said', () => {
  const claim = setUp()
  claim()
  expect(claim({ baseUrl: 'https://new.example.com' }).moved).toBe(
    'the explorer moved from explorer.example.com to new.example.com',
  )
  expect(claim({ baseUrl: 'https://new.example.com' }).moved).toBeNull()
})

test.each([
  { title: 'other chains', changes: { main: 'OTHERCHAIN' }, said: 'explorer.chains differ' },
  { title: 'other contracts', changes: { contracts: [two] }, said: 'bridge.contracts share none' },
])('F85: a ledger is refused to a configuration with $title, unless it is adopted', ({ changes, said }) => {
  const claim = setUp()
  claim()
  expect(() => claim(changes)).toThrow(said)
  expect(() => claim(changes)).toThrow('--adopt-state')
  claim(changes, true)
  expect(claim(changes)).toEqual({ moved: null })
  expect(() => claim()).toThrow(said)
})

test('a ledger that another node writes is refused to a configuration of another bridge, before it watches by it', () => {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  const of = (main: string) => ({
    explorer: { ...plainConfig.explorer, chains: { main, zone: 'ZONE_CHAIN' } },
    bridge: noBridge,
  })
  claimLedger(db, of('MAINCHAIN'), false)
  expect(() => assertOwner(db, of('OTHERCHAIN'))).toThrow('another replicas.bridge')
  assertOwner(db, of('MAINCHAIN'))
})
