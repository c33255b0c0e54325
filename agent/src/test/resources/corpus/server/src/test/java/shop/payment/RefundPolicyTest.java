package shop.payment;

class RefundPolicyTest {
    void afterThirtyDaysThereIsNoRefund() {}
}
