import { describe, expect, test } from 'vitest'
import { pollSupply } from '../../../../../src/checks/escrow/supply/pollSupply.ts'
import { listSupplies } from '../../../../../src/checks/escrow/supply/supplyStore.ts'
import { toRpcError } from '../../../../../src/clients/rpc/rpcErrors.ts'
import { MonitorError } from '../../../../../src/lib/errors.ts'
import { createTestKernel, noSignal } from '../../support.ts'

const [odd, sound] = [`0x${'0d'.repeat(20)}`, `0x${'50'.repeat(20)}`]
const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
const decimalsCall = '0x313ce567'

/** The zone's node; what it says of the odd contract's decimals and supply is what a test says. */
async function poll(answer: (data: string) => string) {
  const kernel = createTestKernel()
  const asked = (method: string, [first]: readonly unknown[]) => {
    if (method === 'eth_getBlockByNumber') {
      const number = typeof first === 'number' ? first : 1_000
      return { number, timestamp: number }
    }
    const { to, data } = first as { to: string; data: string }
    if (to === odd) return answer(data)
    return data === decimalsCall ? word(6) : word(500)
  }
  const rpc = { call: async (method: string, params: readonly unknown[]) => asked(method, params) }
  const tokens = [odd, sound].map((zoneAddress) => ({ token: `${zoneAddress.slice(0, -1)}f`, zoneAddress }))
  const parts = {
    rpc,
    tokens,
    confirmations: 2,
    decimals: new Map(),
    watch: { db: kernel.db, bridge: {}, configured: new Map(), recordedAs: new Map() },
    seat: null,
  }
  const failure = await pollSupply({ ...kernel, ...parts } as never, noSignal).then(
    () => null,
    (error: unknown) => error,
  )
  const read = tokens.map(({ token }) => listSupplies(kernel.db, token, Infinity).map(({ supply }) => supply))
  return { failure, read }
}

const rpcError = (code: number, message: string) => () => {
  throw toRpcError({ code, message }, 'zoneRpc')
}

describe('one contract that does not say its supply holds up none of the others', () => {
  test.each<[string, (data: string) => string]>([
    ['is none', () => '0x'],
    ['reverts', rpcError(3, 'execution reverted')],
    ['reverts, in the words of another node', rpcError(-32_000, 'execution reverted')],
    ['reverts, as a failure inside', rpcError(-32_603, 'VM Exception: reverted with reason "no"')],
    ['fails', rpcError(-32_603, 'out of gas')],
    [
      'is answered with nonsense',
      () => {
        throw new MonitorError('source.invalid', 'expected hex')
      },
    ],
  ])('it %s', async (_, answer) => {
    for (const only of [true, false]) {
      const { failure, read } = await poll((data) => {
        if (only && data === decimalsCall) return word(6)
        return answer(data)
      })
      expect(read).toEqual([[], [500n]])
      expect(failure).toBeInstanceOf(MonitorError)
    }
  })

  test('a node that is not there is asked about no other', async () => {
    const asked: string[] = []
    const { read } = await poll((data) => {
      asked.push(data)
      throw new MonitorError('source.unreachable', 'nobody is there')
    })
    expect([asked.length, read]).toEqual([1, [[], []]])
  })
})
