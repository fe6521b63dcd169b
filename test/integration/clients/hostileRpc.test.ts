import { expect, onTestFinished, test } from 'vitest'
import { createRpc } from '../../../src/clients/rpc/createRpc.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { cleanText } from '../../../src/lib/text.ts'
import { isObject } from '../../../src/lib/isObject.ts'
import { hostileRpc } from '../../support/hostileRpc.ts'
import { startRpcStub } from '../../support/rpcStub.ts'

const hash = `0x${'1'.repeat(64)}`

async function open(answer: (typeof hostileRpc)[number]['answer']) {
  const stub = await startRpcStub((body) => ({ text: answer(body) }))
  const rpc = createRpc({ source: 'preconf', url: stub.url, clock: createSystemClock(), timeoutMs: 30_000 })
  onTestFinished(async () => {
    await rpc.close()
    await stub[Symbol.asyncDispose]()
  })
  return rpc
}

const calls = [
  { method: 'eth_blockNumber' as const, params: [] as [] },
  { method: 'eth_getTransactionReceipt' as const, params: [hash] as [string] },
  { method: 'eth_getBlockReceipts' as const, params: [] as [] },
]

test.each(hostileRpc)(
  'F109: $name: each question is answered right or refused with what is wrong',
  async ({ answer, gives }) => {
    const rpc = await open(answer)
    const outcomes = [...(await rpc.callMany(calls)), ...(await rpc.callMany(calls.slice(1, 2)))]
    expect(outcomes).toHaveLength(4)
    // Of a list what cannot be read is set aside.
    const isSetAside = (value: unknown) =>
      isObject(value) && Array.isArray(value['items']) && value['items'].length === 0
    const texts = outcomes.map((one) => {
      if (!one.ok) return one.error.message
      return gives !== 'answer' && isSetAside(one.value) ? null : 'answer'
    })
    for (const text of texts.filter((one) => one !== null)) {
      if (gives === 'answer') expect(text).toBe('answer')
      else expect(text).toMatch(gives)
      expect(text.length).toBeLessThan(400)
      expect(text).toBe(cleanText(text, 400))
    }
  },
)
