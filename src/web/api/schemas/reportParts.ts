import { z } from 'zod'
import { amount, baseUnits, count } from './words.ts'

export const reportToken = z.object({
  address: z.string(),
  symbol: z.string().nullable().describe('From the configuration; null when it is not listed there'),
  name: z.string().describe('From the chain: anybody may have chosen it'),
  decimals: z.int().nullable(),
})

export const reportSum = z.object({
  count,
  raw: baseUnits,
  amount: amount.nullable(),
  unknown: count.describe('Transfers whose amount is not known, and not in it'),
})

export const bookSum = z.object({ count, amount, unknown: count })
