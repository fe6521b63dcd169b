import { expect, test } from 'vitest'
import { createByteBudget } from '../../../src/clients/byteBudget.ts'

const never = new AbortController().signal

/** Takes, and says when it was given. */
function taker(budget: ReturnType<typeof createByteBudget>) {
  const given: string[] = []
  const take = (name: string, bytes: number, signal = never) => {
    const taken = budget.take(bytes, signal)
    void taken.then(
      () => given.push(name),
      () => given.push(`${name} gave up`),
    )
    return taken
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { given, take, settle }
}

test('what fits is given at once, the rest when bytes come back, in the order of asking', async () => {
  const { given, take, settle } = taker(createByteBudget(10))
  const giveBack = await take('a', 6)
  void take('b', 6)
  void take('c', 1)
  await settle()
  expect(given).toEqual(['a'])
  giveBack()
  await settle()
  expect(given).toEqual(['a', 'b', 'c'])
})

test('whoever wants more than there is gets all of it, alone', async () => {
  const { given, take, settle } = taker(createByteBudget(10))
  const giveBack = await take('a', 100)
  void take('b', 1)
  await settle()
  expect(given).toEqual(['a'])
  giveBack()
  giveBack()
  await settle()
  void take('c', 9)
  void take('d', 1)
  await settle()
  expect(given).toEqual(['a', 'b', 'c'])
})

test('whoever gives up leaves his place to the next', async () => {
  const { given, take, settle } = taker(createByteBudget(10))
  await take('a', 6)
  const stop = new AbortController()
  const waiting = take('b', 8, stop.signal)
  void take('c', 4)
  stop.abort(new Error('no whole answer'))
  await expect(waiting).rejects.toThrow('no whole answer')
  await settle()
  expect(given).toEqual(['a', 'b gave up', 'c'])
})

test('a signal that is over takes nothing', async () => {
  const budget = createByteBudget(10)
  await expect(budget.take(8, AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
  await budget.take(10, never)
})
