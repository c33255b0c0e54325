import { post } from "./http";

export interface CartLine {
  sku: string;
  quantity: number;
}

// Keeps the basket in the browser until the customer checks out.
export class Cart {
  private lines: CartLine[] = [];

  add(sku: string, quantity = 1) {
    this.lines.push({ sku, quantity });
  }

  total(prices: Map<string, number>): number {
    return this.lines.reduce((sum, l) => sum + l.quantity * (prices.get(l.sku) ?? 0), 0);
  }

  async checkout(): Promise<void> {
    await post("/orders", this.lines);
    this.lines = [];
  }
}
