import { expect, test } from 'vitest'
import { createTurns } from '../../../src/lib/turns.ts'

test('of one key each goes after the other, also after one that failed; other keys do not wait', async () => {
  const turns = createTurns()
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = turns.alone('a', async () => {
    await first.promise
    seen.push('a1')
    throw new Error('broken')
  })
  const second = turns.alone('a', async () => seen.push('a2'))
  await turns.alone('b', async () => seen.push('b'))
  expect([turns.isBusy('a'), turns.isBusy('b')]).toEqual([true, false])
  first.resolve()
  await expect(failing).rejects.toThrow('broken')
  await second
  expect(seen).toEqual(['b', 'a1', 'a2'])
  expect(turns.isBusy('a')).toBe(false)
})
