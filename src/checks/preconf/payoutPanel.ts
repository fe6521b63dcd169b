import type { Panel } from '../../kernel/check.ts'
import { leastShown, type ListHabit, readHabit } from './payoutStore.ts'
import type { PayoutWatch } from './payoutWatch.ts'

/** Whether payouts are judged before their block, and what that rests on. */
export function toPayoutPanel({ db, waiting }: Pick<PayoutWatch, 'db' | 'waiting'>): Panel {
  const habit = readHabit(db)
  const lines = [
    { name: 'Told before their block', value: sayHabit(habit) },
    {
      name: 'Shown by the list before they were paid',
      value: `${habit.shown} of ${habit.shown + habit.late}`,
    },
    { name: 'Waiting for what would explain them', value: String(waiting.size) },
  ]
  return { id: 'payouts', title: 'Payouts before their block', lines }
}

/** @example sayHabit(habit) // 'no: 2 withdrawals were shown before being paid, 3 are needed' */
export function sayHabit({ shown, late, isPrompt, namesOrigins }: ListHabit): string {
  if (isPrompt) return namesOrigins ? 'yes' : 'no: payouts here name no origin'
  if (late > 0) return `no: the list showed ${late} of ${shown + late} withdrawals only after they were paid`
  const were = shown === 1 ? 'withdrawal was' : 'withdrawals were'
  return `no: ${shown} ${were} shown before being paid, ${leastShown} are needed`
}
