import { describe, expect, test } from 'vitest'
import { transferFailed } from '../../../../src/checks/transfers/failed.ts'
import { toRisk } from '../../../../src/cases/money.ts'
import { remedyOf } from '../../../../src/delivery/kindWords.ts'
import type { Observation } from '../../../../src/bridge/observation.ts'
import type { LegEvidence } from '../../../../src/bridge/transfer.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { eventContext, transferOf } from '../../rules/transfers.ts'

const live = eventContext()
const evidence = (overrides: Partial<LegEvidence> = {}): LegEvidence => ({
  hash: hash('zone'),
  moves: null,
  chain: 'zone',
  source: 'E9',
  at: 1_500_000,
  status: 'failed',
  errorMessage: 'insufficient liquidity',
  ...overrides,
})
const detect = (records: Observation[], notes: LegEvidence[] = [], context = live) =>
  transferFailed.detect(transferOf(records, notes), {}, context)

describe('transfer.failed', () => {
  test('a failed record with both legs is told at once, in full', () => {
    expect(detect([toRecord({ status: 'failed' })])).toMatchObject({
      kind: 'transfer.failed',
      subject: 't1',
      title: `Withdraw, zone ${hash('zone')}, main ${hash('main')}`,
      facts: { statusSources: 'E3' },
      labels: { direction: 'ZoneToMain', token: '0xcc', symbol: 'USDC' },
      since: 900_000,
    })
  })

  test('its twin with status success is silent', () => {
    expect(detect([toRecord()])).toBeNull()
  })

  test('an empty status is unknown, not failed', () => {
    expect(detect([toRecord({ status: 'unknown' })])).toBeNull()
  })

  test('with one leg, the list alone does not make it failed', () => {
    expect(detect([toPending({ status: 'failed' })])).toBeNull()
  })

  test('with one leg, E12 that agrees makes it failed', () => {
    const records = [toPending({ status: 'failed' }), toPending({ status: 'failed', source: 'E12' })]
    expect(detect(records)?.facts).toMatchObject({ statusSources: 'E12' })
  })

  test("with one leg, the failure of the origin's own transaction makes it failed, with its error message", () => {
    expect(detect([toPending({ status: 'failed' })], [evidence()])?.facts).toMatchObject({
      errorMessage: 'insufficient liquidity',
      statusSources: 'E3, E9',
    })
  })

  test('what failed where it set out left nothing: no money is at risk, and there is nothing to refund', () => {
    const found = detect([toPending({ status: 'failed' })], [evidence()])
    expect(found?.facts).toMatchObject({ nothingLeft: true })
    expect(found && toRisk(transferFailed, found)).toBeNull()
    expect(found && remedyOf(transferFailed, found)).toContain('Do not refund')
  })

  test.each<{ title: string; records: Observation[]; notes: LegEvidence[] }>([
    {
      title: 'its origin succeeds after all',
      records: [toPending({ status: 'failed' }), toPending({ status: 'failed', source: 'E12' })],
      notes: [evidence({ status: 'success' })],
    },
    {
      title: 'nobody said whether its origin failed',
      records: [toPending({ status: 'failed' }), toPending({ status: 'failed', source: 'E12' })],
      notes: [],
    },
    {
      title: 'something arrived although its origin failed',
      records: [toRecord({ status: 'failed' })],
      notes: [evidence()],
    },
  ])('all of it is at risk where $title', ({ records, notes }) => {
    const found = detect(records, notes)
    expect(found?.facts).not.toHaveProperty('nothingLeft')
    expect(found && toRisk(transferFailed, found)).toMatchObject({ amount: found?.transfer?.amount })
    expect(found && remedyOf(transferFailed, found)).toBe(transferFailed.remedy)
  })

  test('with one leg, a success of the origin transaction proves no failure', () => {
    expect(detect([toPending({ status: 'failed' })], [evidence({ status: 'success' })])).toBeNull()
  })

  test('with the payout alone, its own transaction that failed, or is not there, makes it failed', () => {
    const record = toRecord({ status: 'failed', zoneHash: null, zoneHeight: null, zoneTime: null })
    const ofMain = (status: LegEvidence['status'], source: LegEvidence['source'] = 'E13') =>
      evidence({ chain: 'main', hash: hash('main'), source, status, errorMessage: '' })
    const told = (...notes: LegEvidence[]) => detect([record], notes)?.facts['statusSources'] ?? null
    expect(told(ofMain('failed'))).toBe('E3, E13')
    expect(told(ofMain('absent'))).toBe('E3, E13')
    expect([told(), told(ofMain('success'))]).toEqual([null, null])
    expect(told(ofMain('failed'), ofMain('success', 'canonical'))).toBeNull()
  })

  test('a completed record that the list calls failed is not told until E12 agrees', () => {
    const before = toRecord({ requestedAt: 1_000_000 })
    const after = toRecord({ requestedAt: 1_100_000, status: 'failed' })
    expect(detect([before, after])).toBeNull()
    const confirmed = toRecord({
      requestedAt: 1_200_000,
      status: 'failed',
      source: 'E12',
      updateTime: 1_090_000,
    })
    expect(detect([before, after, confirmed])?.facts).toMatchObject({ wasCompleted: true })
  })

  test('a pending transfer that E12 called good is told as soon as the list shows it failed with both legs', () => {
    const asked = toPending({ source: 'E12', requestedAt: 1_000_000 })
    expect(detect([asked, toRecord({ status: 'failed', requestedAt: 1_100_000 })])).not.toBeNull()
  })

  describe('history', () => {
    const old = toRecord({ status: 'failed', zoneTime: 800_000, mainTime: 900_000 })

    test('what was failed when first seen and ended before the start is not told', () => {
      expect(detect([old], [], eventContext({ tellSince: 900_001 }))).toBeNull()
    })

    test('what ended exactly at the start is told', () => {
      expect(detect([old], [], eventContext({ tellSince: 900_000 }))).not.toBeNull()
    })

    test('it stays untold when E12 repeats it later', () => {
      const repeated = { ...old, source: 'E12' as const, requestedAt: 1_500_000, updateTime: 950_000 }
      expect(detect([old, repeated], [], eventContext({ tellSince: 999_000 }))).toBeNull()
    })

    test('an old transfer that was seen pending and then failed is told', () => {
      const records = [
        toPending({ requestedAt: 1_000_000 }),
        toRecord({ status: 'failed', requestedAt: 1_100_000 }),
      ]
      expect(detect(records, [], eventContext({ tellSince: 1_000_000 }))).not.toBeNull()
    })
  })
})
