import { expect, test } from 'vitest'
import { describeProof } from '../../../src/meaning/describeEvidence.ts'
import { listMoments } from '../../../src/web/pages/transferPage.ts'
import { mainHash, now, observation, stalled, toStory, transfer } from './support/fakeWeb.ts'

test('a story is told in the order of time, with what each answer changed', () => {
  const story = {
    transfer: { ...transfer, main: { chain: 'main' as const, hash: mainHash, height: 7, time: now } },
    standing: null,
    observations: [
      { ...observation, source: 'E12' as const, status: 'success' as const, requestedAt: now - 1_000 },
      observation,
    ],
    alerts: [toStory(stalled)],
    givenBack: [],
  }
  expect(
    listMoments(story).map(({ title, detail }) => (detail === '' ? title : `${title} | ${detail}`)),
  ).toEqual([
    'Value left | zone chain, block 812345',
    'First seen by spanwatch',
    'E3 answered: status unknown',
    'E9 says of the zone leg: success',
    'What alert withdrawal-stalled (warning) is about happened | 1500.25 USDC has waited 47m',
    'withdrawal-stalled: firing | no destination leg after 30m',
    'withdrawal-stalled: told | to ops-slack',
    'Sent to ops-slack: firing | withdrawal-stalled, message #f3a9c1',
    'E12 answered: status success | status: unknown → success',
    'Value arrived | main chain, block 7',
  ])
})

test('the story of a payout without a proven origin does not begin with value that left', () => {
  const unbacked = { ...transfer, state: 'unbacked' as const, originProof: 'absent' as const }
  const [first] = listMoments({
    transfer: unbacked,
    standing: null,
    observations: [],
    alerts: [],
    givenBack: [],
  })
  expect(first).toMatchObject({
    title: 'The record says that value left, and nothing proves it',
    tone: 'critical',
  })
})

test('the story of a transfer that failed where it set out says that nothing left', () => {
  const gone = { ...transfer, state: 'failed' as const, originProof: 'failed' as const }
  const of = { standing: null, observations: [], alerts: [], givenBack: [] }
  expect(listMoments({ ...of, transfer: gone })[0]).toMatchObject({
    title: 'Its transaction failed: nothing left',
    tone: 'warning',
  })
  expect(describeProof(gone)).toBe('failed, nothing left')
  // Something arrived all the same.
  const paid = { ...gone, main: { chain: 'main' as const, hash: mainHash, height: 7, time: now } }
  expect(listMoments({ ...of, transfer: paid })[0]).toMatchObject({
    title: 'The record says that value left, and nothing proves it',
  })
  expect(describeProof(paid)).toBe('failed')
})

test('the story of a transfer that failed where it should have arrived does not say that value arrived', () => {
  const main = { chain: 'main' as const, hash: mainHash, height: 7, time: now }
  const failed = { ...transfer, state: 'failed' as const, originProof: 'proven' as const, main }
  const of = { standing: null, observations: [], alerts: [], givenBack: [] }
  expect(listMoments({ ...of, transfer: failed }).find(({ at }) => at === now)).toMatchObject({
    title: 'It failed',
    detail: 'main chain, block 7',
    tone: 'critical',
  })
})

test('a movement that gave a failed deposit back is told with its transaction', () => {
  const givenBack = [{ at: now, hash: mainHash, amount: '1490.25' }]
  expect(listMoments({ transfer, standing: null, observations: [], alerts: [], givenBack }).at(-1)).toEqual({
    at: now,
    tone: 'fine',
    title: 'Given back: 1,490.25',
    detail: `main chain, ${mainHash}`,
  })
})

test('a rewrite names the fields and both values', () => {
  const rewrite = {
    at: now,
    before: { status: 'success' },
    after: { status: 'failed', mainHash: '0x1', id: '' },
  }
  const story = {
    transfer: { ...transfer, rewrites: [rewrite] },
    standing: null,
    observations: [],
    alerts: [],
    givenBack: [],
  }
  expect(listMoments(story).at(-1)).toEqual({
    at: now,
    tone: 'critical',
    title: 'The final record was rewritten',
    detail: 'status: success → failed; mainHash: empty → 0x1',
  })
})
