import type { Observation } from '../../../src/bridge/observation.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { type LearnedActions, type MoneySample, sampleAction } from '../../../src/meaning/learnedActions.ts'
import { readAction } from '../../../src/meaning/zoneAction.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

export const user = (n: number) => `0x${String(n).padStart(40, 'a')}`

/** What was learned, in memory. */
export function createLessons(fees: Parameters<typeof sampleAction>[2]['fees'] = []): LearnedActions & {
  teach(transfer: Transfer, action: object): void
  add(samples: readonly MoneySample[]): void
} {
  const counts = new Map<string, Map<string, number>>()
  const learned = {
    actionsOf: (name: string) => counts.get(name) ?? new Map<string, number>(),
    straysOf: () => 0,
    suspendedAt: () => 0,
  }
  const add = (samples: readonly MoneySample[]) => {
    for (const { name, value } of samples) {
      const of = counts.get(name) ?? new Map<string, number>()
      counts.set(name, of.set(value, (of.get(value) ?? 0) + 1))
    }
  }
  return {
    ...learned,
    add,
    teach(transfer, action) {
      add(sampleAction(transfer, readAction(JSON.stringify(action)), { fees }))
    },
  }
}

interface Row {
  readonly amount: number
  readonly to: number
  readonly token?: string
  readonly tokenId?: string
  readonly crossType?: string
  readonly status?: Observation['status']
  readonly direction?: Observation['direction']
}

/** Transfers of one zone transaction, with its action. */
export function bundle(rows: readonly Row[], action: unknown, more: Partial<Observation> = {}): Transfer[] {
  return rows.map(({ amount, to, token = '0xcc', tokenId = '', crossType = 'Withdraw', ...rest }, at) => {
    const record = toRecord({
      source: 'E12',
      zoneEventIndex: String(at),
      mainHash: hash(`m${at}`),
      amountRaw: BigInt(amount) * 1_000_000n,
      value: String(amount),
      targetAddress: user(to),
      token,
      tokenId,
      crossType,
      ...rest,
      ...more,
    })
    const evidence = {
      chain: 'zone',
      hash: hash('zone'),
      source: 'E9',
      at: 1_000_000,
      status: 'success',
      errorMessage: '',
      moves: null,
      action: typeof action === 'string' ? action : JSON.stringify(action),
    } as const
    return { ...transferOf([record], [evidence]), key: `t${at}` }
  })
}
