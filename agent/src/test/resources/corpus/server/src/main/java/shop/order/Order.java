package shop.order;

import java.time.Instant;
import java.util.List;

/** What a customer wants to buy. */
public record Order(long id, long customer, Instant placedAt, OrderState state, List<OrderLine> lines) {
    public record OrderLine(String sku, int quantity, long priceInCents) {}

    public long totalInCents() {
        return lines.stream().mapToLong(l -> l.quantity() * l.priceInCents()).sum();
    }
}
