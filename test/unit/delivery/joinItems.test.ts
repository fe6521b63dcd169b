import { expect, test } from 'vitest'
import { alertIdOf } from '../../../src/alerts/fingerprint.ts'
import { joinItems } from '../../../src/delivery/joinItems.ts'
import { toItem } from './messages.ts'

/** An item of an alert by its fingerprint, an update of another one. */
function update(fingerprint: string, above: string | null) {
  const item = toItem({
    alertId: alertIdOf(fingerprint),
    summary: fingerprint,
    status: above === null ? 'firing' : 'update',
  })
  return { item, above: above === null ? null : { fingerprint: above, rule: above } }
}

function shown(worded: Parameters<typeof joinItems>[0]) {
  return joinItems(worded, true).map(({ summary, joined }) => [
    summary,
    ...joined.map((one) => one.summary).toSorted(),
  ])
}

test('what joins another item of a message is shown within it, however many steps away', () => {
  const worded = [update('c', 'b'), update('b', 'a'), update('a', null), update('d', 'elsewhere')]
  expect(shown(worded)).toEqual([['a', 'b', 'c'], ['d']])
})

test('of alerts that each say as much as the other one holds all, in whatever order they come', () => {
  const ring = [update('a', 'b'), update('b', 'c'), update('c', 'a'), update('d', 'a')]
  const first = shown(ring)
  expect(first).toHaveLength(1)
  expect(first[0]?.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(shown(ring.toReversed())).toEqual(first)
})
