import { expect, test } from 'vitest'
import { MonitorError } from '../../../src/lib/errors.ts'
import { createExplorerReads } from '../../../src/kernel/reads.ts'
import { noSignal } from '../checks/support.ts'

const readsAgainst = (failure: Error) =>
  createExplorerReads({
    explorer: { call: () => Promise.reject(failure), callNonEmpty: () => Promise.reject(failure) },
    ledger: { hasListed: () => true },
    clock: { now: () => 7_000 },
    blockListeners: new Set(),
  })
const options = { priority: 'urgent', signal: noSignal } as const

test('a filter for transactions that is refused finds nothing, as one that is broken', async () => {
  const reads = readsAgainst(new MonitorError('source.refused', 'code 50036'))
  expect(await reads.feedByHash('0x1', options)).toEqual({ requestedAt: 7_000, records: [], bad: [] })
})

test('one that could not be asked says so', async () => {
  const reads = readsAgainst(new MonitorError('source.empty', 'again and again'))
  await expect(reads.feedByHash('0x1', options)).rejects.toThrow('again and again')
})

test.each([true, false])(
  'an empty list is contradicted only where it showed something before: %s',
  async (isListed) => {
    const asked: unknown[] = []
    const callNonEmpty = (_: unknown, __: unknown, how: { readonly isKnown?: boolean }) => {
      asked.push(how.isKnown)
      return Promise.reject(new MonitorError('source.empty', 'empty'))
    }
    const reads = createExplorerReads({
      explorer: { call: callNonEmpty, callNonEmpty },
      ledger: { hasListed: () => isListed },
      clock: { now: () => 7_000 },
      blockListeners: new Set(),
    })
    await expect(reads.feedPage(1, options)).rejects.toThrow('empty')
    expect(asked).toEqual([isListed])
  },
)
