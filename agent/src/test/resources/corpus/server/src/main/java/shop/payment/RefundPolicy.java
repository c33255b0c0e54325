package shop.payment;

import java.time.Clock;
import java.time.Duration;
import shop.order.Order;

/** How much money a customer gets back. */
public final class RefundPolicy {
    private static final Duration FULL_REFUND = Duration.ofDays(30);
    private final Clock clock;

    public RefundPolicy(Clock clock) {
        this.clock = clock;
    }

    public long amountFor(Order order) {
        Duration age = Duration.between(order.placedAt(), clock.instant());
        return age.compareTo(FULL_REFUND) <= 0 ? order.totalInCents() : 0;
    }
}
