package shop.payment;

import shop.net.HttpClient;
import shop.net.RetryPolicy;

/** Takes money from credit cards through the bank's web service. */
public final class CardPayment {
    private static final String CHARGE_URL = "https://bank.example.org/charge";
    private final HttpClient http = new HttpClient(RetryPolicy.exponential(3));

    public void charge(long customer, long cents) {
        http.post(CHARGE_URL, "customer=" + customer + "&cents=" + cents);
    }

    public void giveBack(long customer, long cents) {
        charge(customer, -cents);
    }
}
