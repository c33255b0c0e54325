package shop.order;

import shop.payment.CardPayment;
import shop.payment.RefundPolicy;

/** Places orders and takes them back. */
public final class OrderService {
    private final CardPayment payment;
    private final RefundPolicy refunds;

    OrderService(CardPayment payment, RefundPolicy refunds) {
        this.payment = payment;
        this.refunds = refunds;
    }

    public Order place(Order order) {
        payment.charge(order.customer(), order.totalInCents());
        return order;
    }

    /** Cancels an order that has not been shipped; the customer gets the money back. */
    public void cancel(Order order) {
        if (order.state() == OrderState.SHIPPED) {
            throw new IllegalStateException("order " + order.id() + " is on its way");
        }
        payment.giveBack(order.customer(), refunds.amountFor(order));
    }
}
